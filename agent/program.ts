/** Assembles the agent from its configuration. */
import { join } from 'node:path'
import { systemClock } from './clock.ts'
import { type Config, readOption } from './config/config.ts'
import { nodeName } from './config/flag-values.ts'
import type { AgentSettings } from './config/settings.ts'
import type { HostOptions } from './host.ts'
import { httpTransport, type Transport } from './http.ts'
import { type NodeCredentials, nodeCredentials, tokenClient } from './join/credentials.ts'
import { fileMachineProof } from './join/machine-proof.ts'
import { fileTokenStore, sharedTokenStore } from './join/token-store.ts'
import { requestTimeoutMs } from './lease/schedule.ts'
import type { Log } from './log.ts'
import { awsFacts, type CloudFacts } from './machine/aws-metadata.ts'
import { runChecks } from './machine/checks.ts'
import { linuxMachine } from './machine/linux-machine.ts'
import { hookDriver, type PodDriver } from './pods/driver.ts'
import { systemdDriver } from './pods/systemd-driver.ts'

export interface Program {
  readonly host: HostOptions
  readonly transport: Transport
  readonly credentials: NodeCredentials
}

export async function assembleAgent(
  config: Config,
  log: Log,
  signal: AbortSignal,
): Promise<Program> {
  const machine = linuxMachine({ watchedPath: config.diskPath })
  const facts = await machine.facts()
  const cloud = config.cloud === 'aws' ? await awsFacts(config.metadataEndpoint) : undefined
  const name =
    config.nodeName ?? readOption('node-name', () => nodeName(cloud?.nodeName ?? facts.hostname))
  if (isPlainText(config.server))
    log.warn(`tokens to ${config.server} can be read on the way: use https`)
  const transport = httpTransport({
    server: config.server,
    ca: config.ca,
    timeoutMs: requestTimeoutMs(config.settings.heartbeat),
  })
  const credentials = nodeCredentials({
    transport,
    nodeName: name,
    bootstrapToken: config.bootstrapToken,
    nodeToken: config.nodeToken,
    machineProof: fileMachineProof(join(config.stateDir, 'machine-proof'), log),
    store: tokenStore(config, name, log),
    clock: systemClock,
    log,
  })
  const checks = config.checksDir
    ? runChecks({ directory: config.checksDir, clock: systemClock, log, signal })
    : undefined
  const host: HostOptions = {
    name,
    machine,
    machineId: facts.machineId || facts.bootId,
    settings: cloud ? withCloud(config.settings, cloud) : config.settings,
    registersNode: config.registersNode,
    client: tokenClient(transport, credentials),
    credentials,
    clock: systemClock,
    log,
    driver: driverOf(config.pods),
    isFencing: config.isFencing,
    ...(checks && { customConditions: checks.conditions }),
  }
  return { host, transport, credentials }
}

/** What was configured wins over what the cloud says. */
function withCloud(settings: AgentSettings, cloud: CloudFacts): AgentSettings {
  const hasExternal = settings.moreAddresses.length > 0
  const given = cloud.addresses.filter(({ type }) => !(hasExternal && type === 'ExternalIP'))
  return {
    ...settings,
    labels: { ...cloud.labels, ...settings.labels },
    providerId: settings.providerId ?? cloud.providerId,
    moreAddresses: [...settings.moreAddresses, ...given],
  }
}

function tokenStore(config: Config, name: string, log: Log) {
  const store = fileTokenStore(join(config.stateDir, 'token.json'))
  const { sharedTokenDir: folder, server, ca } = config
  if (folder === undefined) return store
  const onTrouble = ({ message }: Error) =>
    log.warn(`cannot write the token for other programs: ${message}`)
  return sharedTokenStore(store, { folder, server, ca, user: `system:node:${name}`, onTrouble })
}

const LOOPBACK = /^(localhost|127(\.\d+){3}|\[::1\])$/

export function isPlainText(server: string): boolean {
  const { protocol, hostname } = new URL(server)
  return protocol === 'http:' && !LOOPBACK.test(hostname)
}

function driverOf(pods: Config['pods']): PodDriver | undefined {
  if (pods?.kind === 'hook') return hookDriver(pods.program)
  return pods?.kind === 'systemd' ? systemdDriver(pods.prefix) : undefined
}

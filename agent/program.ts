/** Puts a real host together from its configuration. */
import { createHmac } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { runChecks } from './checks.ts'
import { systemClock } from './clock.ts'
import { bootstrapToken, type Config, ConfigError, nodeName } from './config.ts'
import type { HostOptions } from './host.ts'
import { httpTransport, type Transport } from './http.ts'
import { type Credentials, credentials } from './join.ts'
import { linuxMachine } from './linux-machine.ts'
import type { Log } from './log.ts'
import { hookDriver, type PodDriver } from './pod-driver.ts'
import { requestTimeoutMs } from './schedule.ts'
import { systemdDriver } from './systemd-driver.ts'
import { tokenClient } from './token-client.ts'
import { fileTokenStore } from './token-store.ts'

export interface Program {
  readonly host: HostOptions
  readonly transport: Transport
  readonly credentials: Credentials
}

export async function assemble(config: Config, log: Log, signal: AbortSignal): Promise<Program> {
  const machine = linuxMachine({ watchedPath: config.diskPath })
  const facts = await machine.facts()
  const name = config.nodeName ?? checked('node-name', () => nodeName(facts.hostname))
  if (isOverheard(config.server))
    log.warn(`tokens to ${config.server} can be read on the way: use https`)
  const transport = httpTransport({
    server: config.server,
    ca: config.caFile === undefined ? undefined : mustRead('ca-file', config.caFile),
    timeoutMs: requestTimeoutMs(config.settings.heartbeat),
  })
  const held = credentials({
    transport,
    nodeName: name,
    bootstrapToken: config.bootstrapToken ?? tokenIn(config.bootstrapTokenFile),
    ...(facts.machineId && { machineProof: machineProof(facts.machineId) }),
    store: fileTokenStore(join(config.stateDir, 'token.json')),
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
    settings: config.settings,
    client: tokenClient(transport, held),
    credentials: held,
    clock: systemClock,
    log,
    driver: driverOf(config.pods),
    isFencing: config.isFencing,
    ...(checks && { custom: checks.conditions }),
  }
  return { host, transport, credentials: held }
}

const LOOPBACK = /^(localhost|127(\.\d+){3}|\[::1\])$/

export function isOverheard(server: string): boolean {
  const { protocol, hostname } = new URL(server)
  return protocol === 'http:' && !LOOPBACK.test(hostname)
}

/** systemd asks programs never to send the machine id itself, but something made from it. */
const machineProof = (machineId: string) =>
  createHmac('sha256', machineId).update('leasehold.dev machine proof').digest('base64')

function driverOf(pods: Config['pods']): PodDriver | undefined {
  if (pods?.kind === 'hook') return hookDriver(pods.program)
  return pods?.kind === 'systemd' ? systemdDriver(pods.prefix) : undefined
}

/** A file that is gone or empty is no error: after joining the token may be taken away. */
export function tokenIn(file: string | undefined): string | undefined {
  if (file === undefined) return undefined
  return checked('bootstrap-token-file', () => {
    const text = readIfThere(file).trim()
    return text === '' ? undefined : bootstrapToken(text)
  })
}

function readIfThere(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return ''
    throw error
  }
}

const mustRead = (option: string, file: string) => checked(option, () => readFileSync(file, 'utf8'))

function checked<T>(option: string, read: () => T): T {
  try {
    return read()
  } catch (error) {
    throw new ConfigError([`--${option}: ${(error as Error).message}`])
  }
}

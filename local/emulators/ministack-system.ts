/**
 * The deployed system on this machine without Docker: both stacks deployed into MiniStack, which has
 * the tables, keys, queue, bus, schedule and stream; the functions run in our own host of functions,
 * because MiniStack's cannot stream an answer.
 */
import { appendFileSync, mkdirSync, rmSync } from 'node:fs'
import { createServer } from 'node:https'
import { join, resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { UsageError } from '../../shared/flags/flag-set.ts'
import type { Settings } from '../../shared/lifecycle/settings.ts'
import type { Components } from '../components.ts'
import { dataFolder } from '../data-folder.ts'
import { openStore } from '../engine/store.ts'
import { startHosts } from '../hosts/start-hosts.ts'
import { type ServerCertificate, serverCertificate } from '../serve/certificates.ts'
import { listen } from '../serve/https-server.ts'
import {
  type Deployment,
  deploy,
  deployedFunctions,
  EMULATED_STAGE,
  nameServer,
  synthesize,
} from './deployment.ts'
import { emulatorVariables, useEmulator } from './emulated-aws.ts'
import { addKubeconfig } from './instructions.ts'
import type { LambdaFunction } from './lambda/environment.ts'
import { functionUrl } from './lambda/function-url.ts'
import { type LambdaHost, lambdaHost } from './lambda/host.ts'
import { serveInvocations } from './lambda/invoke-port.ts'
import { runtimeArguments } from './lambda/runtime-client.ts'
import { ministackPackages, startMiniStack } from './ministack-server.ts'

export interface MiniStackOptions {
  /** MiniStack's own port. */
  readonly port: number
  readonly apiPort: number
  readonly folder: string
  readonly context: readonly string[]
  readonly nodes: number
  readonly zones: number
  readonly settings: Settings
  /** What the functions take for AWS, once the stacks are deployed. Default: MiniStack itself. */
  readonly awsForFunctions?: (endpoint: string) => Promise<string>
  /** Processes that serve one function at once. Default 64. */
  readonly mostEnvironments?: number
  /** Changes a function before it runs. Default: as deployed. */
  readonly asRun?: (made: LambdaFunction) => LambdaFunction
}

interface EmulatedSystem {
  readonly endpoint: string
  /** Where kubectl and hosts connect. */
  readonly server: string
  readonly kubeconfig: string
  readonly caFile: string
  readonly host: LambdaHost
  readonly deployment: Deployment
  /** Runs the functions that another deploy has left, from where it was synthesised. */
  runFunctions(deployment: Deployment): Promise<void>
  /** Resolves when MiniStack ends by itself. */
  readonly ended: Promise<string>
}

const MONITOR = `leasehold-${EMULATED_STAGE}-monitor`
const API = `leasehold-${EMULATED_STAGE}-api`
const HEALTH_CHECK = {
  rawPath: '/healthz',
  rawQueryString: '',
  headers: {},
  requestContext: { http: { method: 'GET' } },
}

export async function startMiniStackSystem(
  running: Components,
  options: MiniStackOptions,
  say: (text: string) => void,
): Promise<EmulatedSystem> {
  const { folder, port, context } = options
  rmSync(join(folder, 'logs'), { recursive: true, force: true })
  mkdirSync(join(folder, 'logs'), { recursive: true, mode: 0o700 })
  say('getting MiniStack from PyPI and the runtime client from npm (the first time only)')
  const python = await ministackPackages()
  if (python.kind === 'absent')
    throw new UsageError(`MiniStack needs Python 3.10 or newer with venv: ${python.why}`)
  const certificate = await serverCertificate(folder, Date.now())
  const host = await startHost(running, options)
  const { url: invokeUrl } = await running.add('invocations', () => serveInvocations(host))
  const logFile = join(folder, 'logs', 'ministack.log')
  const { endpoint, broken: ended } = await running.add('MiniStack', () =>
    startMiniStack({ bin: python.bin, port, invokeUrl, logFile }),
  )
  useEmulator(endpoint)

  const deployment = { endpoint, context, folder }
  say('synthesising both stacks')
  await synthesize(deployment)
  say('deploying them')
  const outputs = await deploy(deployment)
  const server = await serveApi(running, host, options.apiPort, certificate)
  const { caCert: caFile, kubeconfig } = dataFolder(folder)
  const runFunctions = async (deployed: Deployment) => {
    nameServer(deployed.folder, server)
    const aws = (await options.awsForFunctions?.(endpoint)) ?? endpoint
    const addresses = { ApiUrl: outputs.ApiUrl ?? '', server, caFile, aws }
    const functions = await functionsOf(deployed, addresses)
    host.define(functions.map((made) => options.asRun?.(made) ?? made))
  }
  await runFunctions(deployment)
  await addKubeconfig(running, { folder, server, certificate, keyId: outputs.AdminKeyId ?? '' })
  const own = { endpoint, server, kubeconfig, caFile, host, deployment }
  const system = { ...own, runFunctions, ended }
  // The first start of the api takes longer than the monitor's canary waits.
  await text((await host.invoke(API, HEALTH_CHECK)).body)
  if (options.nodes > 0) await addHosts(running, options, system, certificate)
  startMonitor(host).catch((error: Error) => say(`the monitor failed: ${error.message}`))
  return system
}

async function startHost(
  running: Components,
  { folder, mostEnvironments }: MiniStackOptions,
): Promise<LambdaHost> {
  const onLog = (name: string, said: string) =>
    appendFileSync(join(folder, 'logs', `${name}.log`), said)
  const runtime = await runtimeArguments()
  return await running.add('functions', () => lambdaHost({ runtime, onLog, mostEnvironments }))
}

async function serveApi(
  running: Components,
  host: LambdaHost,
  port: number,
  { keyPem, certPem }: ServerCertificate,
): Promise<string> {
  const respond = functionUrl((event) => host.invoke(API, event))
  const server = createServer({ key: keyPem, cert: certPem }, respond)
  const listening = await running.add('api', () => listen(server, port))
  return `https://127.0.0.1:${listening.port}`
}

interface Addresses {
  /** What CloudFormation told the functions, which no name server here knows. */
  readonly ApiUrl: string
  readonly server: string
  readonly caFile: string
  readonly aws: string
}

/** The functions as deployed; only addresses differ. */
async function functionsOf(deployment: Deployment, addresses: Addresses) {
  const functions = await deployedFunctions(deployment)
  return functions.map((made) => ({ ...made, variables: variablesOf(made, addresses) }))
}

function variablesOf({ name, variables }: LambdaFunction, to: Addresses) {
  const localised = Object.entries(variables).map(([variable, value]) => [
    variable,
    value === to.ApiUrl ? to.server : value.replace(/^http:\/\/localhost:\d+(?=\/)/, to.aws),
  ])
  return {
    ...(Object.fromEntries(localised) as Record<string, string>),
    ...emulatorVariables(to.aws),
    AWS_ACCESS_KEY_ID: name,
    NODE_EXTRA_CA_CERTS: resolve(to.caFile),
  }
}

/** MiniStack's schedule fires for the first time a minute after the deploy. */
const FIRST_STARTS = 12
const FIRST_START_MS = 5_000

async function startMonitor(host: LambdaHost): Promise<void> {
  for (let start = 0; start < FIRST_STARTS; start += 1) {
    const end = await text((await host.invoke(MONITOR, {})).body)
    // Without a node it has nothing to watch and ends at once.
    if (end !== JSON.stringify('empty')) return
    await sleep(FIRST_START_MS, undefined, { ref: false })
  }
}

async function addHosts(
  running: Components,
  options: MiniStackOptions,
  { endpoint, server }: Pick<EmulatedSystem, 'endpoint' | 'server'>,
  { caPem }: ServerCertificate,
): Promise<void> {
  const prefix = `leasehold-${EMULATED_STAGE}`
  const tables = { leases: `${prefix}-leases`, objects: `${prefix}-objects` }
  const store = openStore({ endpoint, tables })
  await startHosts(running, {
    options,
    store,
    data: dataFolder(options.folder),
    api: server,
    caPem,
  })
}

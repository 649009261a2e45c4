/** The whole service in one process: which component starts after which, and what each is given. */
import { randomUUID } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { isIPv6 } from 'node:net'
import type { ApiDeps } from '../functions/api/deps.ts'
import { refusedBeatReporter } from '../functions/api/refused-beats.ts'
import { dashboardRoutes } from '../functions/api/routes/dashboard-route.ts'
import { metricsRoute } from '../functions/api/routes/metrics-route.ts'
import { createWatchServer, type WatchServer } from '../functions/api/watch/watch-server.ts'
import type { EventBus } from '../functions/notifier/bus.ts'
import { tolerationDefaults } from '../shared/lifecycle/settings.ts'
import type { Store } from '../shared/store/ports.ts'
import { keepKubeconfig } from './admin-kubeconfig.ts'
import { type Components, components } from './components.ts'
import { type DataFolder, DEFAULT_FOLDER, dataFolder, writeEndpoints } from './data-folder.ts'
import { type Engine, startEngine } from './engine/engine.ts'
import { trimExpiredItems } from './engine/expired-items.ts'
import {
  clientFor,
  localTables,
  openStore,
  prepareTables,
  type StoreAddress,
} from './engine/store.ts'
import { claimBeside, claimFolder } from './folder-claim.ts'
import { type HostsPlan, startHosts } from './hosts/start-hosts.ts'
import { ensureKeys, readSealKey } from './keys.ts'
import type { LocalLog } from './log.ts'
import { noteDowntime, startMonitor } from './monitor.ts'
import { startNotifier } from './notifier.ts'
import type { ListenAddress, LocalOptions } from './options.ts'
import { withRescheduling } from './rescheduler.ts'
import { localApi } from './serve/api.ts'
import { serverCertificate } from './serve/certificates.ts'
import { serve } from './serve/https-server.ts'
import { pageFolder, startPage } from './serve/page.ts'

export interface System {
  readonly api: string
  readonly kubeconfig: string
  /** What hosts call it. */
  readonly server: string
  readonly folder: string
  /** The dashboard's address. */
  readonly page: string
  /** Resolves when an essential component ends by itself, with a message that says which. */
  readonly broken: Promise<string>
  stop(): Promise<readonly string[]>
}

export async function startSystem(options: LocalOptions, log: LocalLog): Promise<System> {
  const running = components()
  const broken = Promise.withResolvers<string>()
  try {
    const started = await startComponents(running, options, log, broken.resolve)
    return { ...started, broken: broken.promise, stop: () => running.stop() }
  } catch (error) {
    await running.stop()
    throw error
  }
}

async function startComponents(
  running: Components,
  options: LocalOptions,
  log: LocalLog,
  onBroken: (why: string) => void,
) {
  const claim = await running.add('folder', () => claimData(options, log))
  const data = dataFolder(claim.folder)
  ensureKeys(data)
  const database = await running.add('DynamoDB', () => startDatabase(options, onBroken))
  const { endpoint, socketPath, isEmbedded, unfenced } = database
  if (unfenced) log.say(openDatabase(endpoint, unfenced))
  const sealKey = isEmbedded ? readSealKey(data) : undefined
  const address = { endpoint, socketPath, tables: localTables, sealKey }
  await prepareTables(address)
  const store = openStore(address)
  if (isEmbedded) await running.add('trimming', () => startTrimming(address, log))
  await noteDowntime(store, Date.now())

  const watches = createWatchServer({ store, clock: Date.now, random: Math.random, log: log.entry })
  // Otherwise the first `kubectl get leases -w` gets 410: its list is too old for the watch.
  await watches.scanLeases()
  const refused = await running.add('refused beats', () => reportRefusedBeats(store, log))
  const more = apiDeps(options, { store, watches, onRefusedBeat: refused.note })
  const app = localApi({ store, data, log: log.entry, more, rates: options.settings })
  const tls = await tlsPlan(options, data)
  const { port } = await running.add('api', () => serve(app.fetch, tls))
  // Stopped before the server, so that every watch ends cleanly instead of being cut.
  await running.add('watches', () => ({ stop: async () => watches.close() }))
  const api = `https://${ownAddress(options)}:${port}`
  const isSealed = isEmbedded
  writeEndpoints(data, { api, dynamodb: endpoint, socketPath, isSealed, tables: localTables })
  const { caPem } = tls.certificate
  const onTrouble = (error: unknown) =>
    log.entry({ level: 'warn', message: 'cannot renew the kubeconfig', error })
  await running.add('kubeconfig', () => keepKubeconfig({ data, server: api, caPem, onTrouble }))

  const hosts = { options, store, data, api, caPem, say: log.say }
  await startFunctions(running, { ...hosts, address, log })
  if (options.nodes > 0) await startHosts(running, hosts)
  const page = await running.add('page', () => startPage(app.fetch, options.dashboardPort, log))
  const server = options.tlsNames[0] ? `https://${options.tlsNames[0]}:${port}` : api
  const { folder, kubeconfig } = data
  return { api, server, folder, kubeconfig, page: page.address ?? `${server}/` }
}

/** Without --data a start beside another one takes a folder of its own. */
function claimData({ dataFolder: given }: LocalOptions, log: LocalLog) {
  const onGone = () =>
    log.say(
      'Warning: the data folder is gone. Keys, kubeconfig and what --data keeps are lost when this ' +
        'ends, and commands beside it fail: stop it and start again.',
    )
  const claim = given ? claimFolder(given, onGone) : claimBeside(DEFAULT_FOLDER, onGone)
  if (claim.kind === 'claimed') return claim
  const folder = given ?? DEFAULT_FOLDER
  throw new Error(`${folder} is in use by process ${claim.pid}: stop that, or name another --data`)
}

async function tlsPlan(options: LocalOptions, { folder, caCert }: DataFolder) {
  const { listen, tlsNames, tlsFiles } = options
  const names = [...(isUnspecified(listen) ? [] : [listen.address]), ...tlsNames]
  const create = () => serverCertificate(folder, Date.now(), names)
  const certificate = await create()
  // Without the authority it would make another one, which no host knows.
  const renew = async () => (existsSync(caCert) ? create() : certificate)
  const named = tlsFiles && {
    names: tlsNames,
    cert: readFileSync(tlsFiles.cert, 'utf8'),
    key: readFileSync(tlsFiles.key, 'utf8'),
  }
  return { ...listen, certificate, renew, ...(named && { named }) }
}

const isUnspecified = ({ address }: ListenAddress) => address === '0.0.0.0' || address === '::'

/** Where this machine itself reaches the api: by address, because a name may not be known here. */
function ownAddress({ listen }: LocalOptions): string {
  if (isUnspecified(listen)) return '127.0.0.1'
  return isIPv6(listen.address) ? `[${listen.address}]` : listen.address
}

function startTrimming(address: StoreAddress, log: LocalLog) {
  const onTrouble = (error: unknown) =>
    log.entry({ level: 'warn', message: 'cannot remove what has expired', error })
  return trimExpiredItems({ client: clientFor(address), table: address.tables.objects, onTrouble })
}

/** How often the api looks for refused beats that it has not told yet. */
const REPORT_MS = 1_000

function reportRefusedBeats(store: Store, log: LocalLog) {
  const onTrouble = (what: string, error: unknown) =>
    log.entry({ level: 'warn', message: `could not ${what}`, error })
  const processId = randomUUID()
  const { note, flush } = refusedBeatReporter({ store, clock: Date.now, processId, onTrouble })
  const timer = setInterval(flush, REPORT_MS)
  return { note, stop: async () => clearInterval(timer) }
}

interface ApiParts extends Pick<ApiDeps, 'onRefusedBeat'> {
  readonly store: Store
  readonly watches: WatchServer
}

/** What the api is given besides its store and keys. */
function apiDeps(
  { settings }: LocalOptions,
  { store, watches, onRefusedBeat }: ApiParts,
): Partial<ApiDeps> {
  return {
    onRefusedBeat,
    watch: watches.serve,
    settings: {
      tolerations: tolerationDefaults(settings),
      leaseHolders: settings.defaultLeaseHolders,
    },
    fleetTiming: settings,
    routes: [metricsRoute({ store, clock: Date.now }), ...dashboardRoutes(pageFolder)],
  }
}

interface FunctionsPlan extends HostsPlan {
  readonly options: LocalOptions
  readonly address: StoreAddress
  readonly log: LocalLog
}

async function startFunctions(running: Components, plan: FunctionsPlan): Promise<void> {
  const { store, address, log, options } = plan
  const { eventBus, settings } = options
  const onBus = (bus: EventBus) => (options.reschedules ? withRescheduling(bus, plan) : bus)
  await running.add('notifier', () => startNotifier({ store, address, eventBus, log, onBus }))
  await running.add('monitor', () => startMonitor({ ...plan, settings }))
}

/** The embedded engine, or what `DYNAMODB_ENDPOINT` names. */
async function startDatabase(
  { dataFolder: dataDir }: LocalOptions,
  onCrash: (why: string) => void,
): Promise<Omit<Engine, 'pid'> & { readonly isEmbedded: boolean }> {
  const elsewhere = process.env.DYNAMODB_ENDPOINT
  if (elsewhere) return { endpoint: elsewhere, isEmbedded: false, stop: async () => {} }
  return { ...(await startEngine({ dataDir, onCrash, isFenced: true })), isEmbedded: true }
}

const openDatabase = (endpoint: string, why: string) =>
  `Warning: the embedded database could not be fenced off (${why}). It answers at ${endpoint} ` +
  'without a secret: other users of this machine, and web pages in browsers on it, can read and ' +
  'change nodes, leases and pods there and undo revocations. They cannot make themselves tokens.'

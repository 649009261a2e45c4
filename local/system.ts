/** The whole service in one process: what starts after what, and what each part is given. */
import { randomInt } from 'node:crypto'
import { httpTransport } from '../agent/http.ts'
import { heartbeat } from '../agent/schedule.ts'
import { dashboardRoutes } from '../functions/api/dashboard-route.ts'
import type { ApiDeps } from '../functions/api/deps.ts'
import { createDistress } from '../functions/api/distress.ts'
import { metricsRoute } from '../functions/api/metrics-route.ts'
import { createWatch, type Watches } from '../functions/api/watch/watches.ts'
import { createBootstrapToken } from '../shared/auth/bootstrap-tokens.ts'
import { beatRhythm } from '../shared/lifecycle/beat-rhythm.ts'
import { tolerationDefaults } from '../shared/lifecycle/settings.ts'
import type { Store } from '../shared/store/ports.ts'
import { keepKubeconfig } from './admin-kubeconfig.ts'
import { localApi } from './api.ts'
import { type ServerCertificate, serverCertificate } from './certificates.ts'
import { type DataFolder, DEFAULT_FOLDER, dataFolder, writeEndpoints } from './data-folder.ts'
import { noteDowntime } from './downtime.ts'
import { startEngine } from './engine.ts'
import { controlSocketIn, listenForControl } from './host-control.ts'
import { serve } from './https-server.ts'
import { ensureKeys } from './keys.ts'
import { localTables, openStore, prepareTables, type StoreAddress } from './local-store.ts'
import type { LocalLog } from './log.ts'
import { startMonitor } from './monitor.ts'
import { startNotifier } from './notifier.ts'
import type { LocalOptions } from './options.ts'
import { pageFolder, startPage } from './page.ts'
import { type Parts, parts } from './parts.ts'
import { type SimulatedFleet, startFleet } from './simulated-fleet.ts'

export interface System {
  readonly api: string
  readonly kubeconfig: string
  /** Where the page is, over plain http; absent when its port is taken. */
  readonly page: string | undefined
  /** Settles when something essential died by itself, with a sentence that says what. */
  readonly broken: Promise<string>
  stop(): Promise<readonly string[]>
}

/** Enough connections for a big simulated fleet, few enough for two cores. */
const FLEET_SOCKETS = 32

export async function startSystem(options: LocalOptions, log: LocalLog): Promise<System> {
  const running = parts()
  const broken = Promise.withResolvers<string>()
  try {
    const started = await startParts(running, options, log, broken.resolve)
    return { ...started, broken: broken.promise, stop: () => running.stop() }
  } catch (error) {
    await running.stop()
    throw error
  }
}

async function startParts(
  running: Parts,
  options: LocalOptions,
  log: LocalLog,
  onBroken: (why: string) => void,
) {
  const data = dataFolder(options.dataFolder ?? DEFAULT_FOLDER)
  const certificate = await serverCertificate(data.folder, Date.now())
  ensureKeys(data)
  const endpoint = await running.add('DynamoDB', () => database(options, onBroken))
  const address = { endpoint, tables: localTables }
  await prepareTables(address)
  const store = openStore(address)
  await noteDowntime(store, Date.now())

  const watches = createWatch({ store, clock: Date.now, random: Math.random, log: log.entry })
  // Without it the first `kubectl get leases -w` would be told that its list is too old.
  await watches.lookAtLeases()
  const more = extras(options, { store, watches, log })
  const app = localApi({ store, data, log: log.entry, more })
  const port = await running.add('api', () => listen(app.fetch, options.port, certificate))
  // Stopped before the server, so that every stream ends cleanly instead of being cut.
  await running.add('watches', async () => ({ value: watches, stop: async () => watches.close() }))
  const api = `https://127.0.0.1:${port}`
  writeEndpoints(data, { api, dynamodb: endpoint, tables: localTables })
  const { caPem } = certificate
  const onTrouble = (error: unknown) =>
    log.entry({ level: 'warn', message: 'cannot renew the kubeconfig', error })
  const kubeconfig = await running.add('kubeconfig', () =>
    keepKubeconfig({ data, server: api, caPem, onTrouble }),
  )

  await observers(running, { options, store, data, api, caPem, address, log })
  if (options.nodes > 0) await hosts(running, { options, store, data, api, caPem })
  const { address: page } = await running.add('page', () =>
    startPage(app.fetch, options.dashboardPort, log),
  )
  return { api, kubeconfig, page }
}

interface Beside {
  readonly store: Store
  readonly watches: Watches
  readonly log: LocalLog
}

/** What the api serves and tells beside the resources. */
function extras({ settings }: LocalOptions, { store, watches, log }: Beside): Partial<ApiDeps> {
  const onTrouble = (what: string, error: unknown) =>
    log.entry({ level: 'warn', message: `could not ${what}`, error })
  return {
    watch: watches.serve,
    settings: { tolerations: tolerationDefaults(settings) },
    beatRhythm: (ownGraceMs) => beatRhythm(settings, ownGraceMs),
    onOwnFailure: createDistress({ store, clock: Date.now, onTrouble }),
    routes: [metricsRoute({ store, clock: Date.now }), ...dashboardRoutes(pageFolder)],
  }
}

interface Observed extends HostsPlan {
  readonly address: StoreAddress
  readonly log: LocalLog
}

async function observers(running: Parts, plan: Observed): Promise<void> {
  const { store, address, log, options } = plan
  const { eventBus, settings } = options
  await running.add('notifier', async () =>
    started(startNotifier({ store, address, eventBus, log })),
  )
  await running.add('monitor', async () => started(startMonitor({ ...plan, settings })))
}

const started = (part: { stop(): Promise<void> }) => ({ value: undefined, stop: () => part.stop() })

/** `DYNAMODB_ENDPOINT` points at anything else that speaks DynamoDB. */
async function database(options: LocalOptions, onBroken: (why: string) => void) {
  const elsewhere = process.env.DYNAMODB_ENDPOINT
  if (elsewhere) return { value: elsewhere, stop: async () => {} }
  const engine = await startEngine({ dataDir: options.dataFolder, onCrash: onBroken })
  return { value: engine.endpoint, stop: () => engine.stop() }
}

async function listen(
  fetch: Parameters<typeof serve>[0],
  port: number,
  certificate?: ServerCertificate,
) {
  const server = await serve(fetch, port, certificate)
  return { value: server.port, stop: () => server.stop() }
}

interface HostsPlan {
  readonly options: LocalOptions
  readonly store: Store
  readonly data: DataFolder
  readonly api: string
  readonly caPem: string
}

async function hosts(running: Parts, plan: HostsPlan): Promise<void> {
  const fleet = await running.add('hosts', () => simulatedHosts(plan))
  await running.add('host control', async () => {
    const { stop } = await listenForControl(controlSocketIn(plan.data.folder), fleet.control)
    return { value: undefined, stop }
  })
}

async function simulatedHosts({ options, store, api, caPem }: HostsPlan) {
  const { nodes, zones, settings } = options
  // Without a limit of uses: a thousand hosts that count one record down would wait for each other.
  const request = { description: 'simulated hosts of local mode', groups: [] }
  const when = { nowMs: Date.now(), randomInt: (below: number) => randomInt(below) }
  const bootstrapToken = await createBootstrapToken(store, request, when)
  const leaseSeconds = Math.max(1, Math.round((settings.nodeLeaseRenewIntervalMs * 4) / 1000))
  const fleet: SimulatedFleet = await startFleet({
    nodes,
    zones,
    bootstrapToken,
    transport: httpTransport({ server: api, ca: caPem, maxSockets: FLEET_SOCKETS }),
    settings: {
      heartbeat: heartbeat({ nodeLeaseDurationSeconds: leaseSeconds }),
      graceMs: settings.nodeMonitorGracePeriodMs,
    },
  })
  return { value: fleet, stop: () => fleet.stop() }
}

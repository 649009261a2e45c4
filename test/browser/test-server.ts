/** The api with its page over the in-memory store, on a real port. */
import { randomUUID } from 'node:crypto'
import type { LogEntry } from '../../functions/api/deps.ts'
import { createFullApi } from '../../functions/api/full-api.ts'
import { dashboardRoutes } from '../../functions/api/routes/dashboard-route.ts'
import { createWatchServer } from '../../functions/api/watch/watch-server.ts'
import { createMonitor } from '../../functions/monitor/loop.ts'
import { interruptibleSleep } from '../../functions/monitor/sleep.ts'
import { serverCertificate } from '../../local/serve/certificates.ts'
import { type Listening, serve, servePlain } from '../../local/serve/https-server.ts'
import { createAuthorizer } from '../../shared/auth/access/authorizer.ts'
import type { Identity } from '../../shared/auth/identity.ts'
import type { KubeObject } from '../../shared/kube/objects.ts'
import { defaultSettings, type Settings } from '../../shared/lifecycle/settings.ts'
import { memoryStore } from '../../shared/store/memory/store.ts'
import type { Store } from '../../shared/store/ports.ts'
import { tokenAuthenticator, wellKnownCallers } from '../builders/callers.ts'
import { putStep } from '../builders/stored-object.ts'

export interface TestServer {
  readonly url: string
  readonly store: Store
  /** Bearer token -> who that is; may be changed while it runs. */
  readonly callers: Map<string, Identity>
  readonly log: readonly LogEntry[]
  /** As an admin with kubectl would. */
  call<T = KubeObject>(method: string, path: string, body?: unknown): Promise<T>
  /** Flags that let kubectl speak to it; it sends no token without TLS. */
  kubectlFlags(): Promise<readonly string[]>
  /** Puts an object there as the monitor or a host would, whatever was there before. */
  put(resource: string, object: KubeObject): Promise<void>
  /** Runs the real monitor over what is stored, until the returned function is called. */
  monitor(settings: Partial<Settings>): () => Promise<void>
  /** Stops listening; the store stays. */
  stop(): Promise<void>
  /** Listens again on the same port. */
  restart(): Promise<void>
}

export async function startTestServer(folder: string): Promise<TestServer> {
  const store = memoryStore({ clock: Date.now })
  const log: LogEntry[] = []
  const callers = new Map(Object.entries(wellKnownCallers))
  const open = async (port: number) => await openServer({ store, log, callers, folder, port })
  let server = await open(0)
  const { port } = server
  const url = `http://127.0.0.1:${port}`
  return {
    url,
    store,
    callers,
    log,
    call: (method, path, body) => call(`${url}${path}`, method, body),
    kubectlFlags: async () => [
      `--server=https://127.0.0.1:${server.securePort}`,
      '--insecure-skip-tls-verify',
      '--token=admin',
      '--kubeconfig=/dev/null',
    ],
    put: (resource, object) => put(store, resource, object),
    monitor: (settings) => runMonitor(store, { ...defaultSettings, ...settings }, log),
    stop: () => server.stop(),
    restart: async () => {
      server = await open(port)
    },
  }
}

interface Opening {
  readonly store: Store
  readonly log: LogEntry[]
  readonly callers: ReadonlyMap<string, Identity>
  readonly folder: string
  readonly port: number
}

interface Server extends Listening {
  readonly securePort: number
}

async function openServer({ store, log, callers, folder, port }: Opening): Promise<Server> {
  const note = (entry: LogEntry) => void log.push(entry)
  const outside = { store, clock: Date.now, random: Math.random, log: note }
  const watches = createWatchServer({ ...outside, settings: { pollMs: 100 } })
  const app = createFullApi({
    ...outside,
    uuid: randomUUID,
    authenticator: tokenAuthenticator(callers),
    authorizer: createAuthorizer(),
    watch: watches.serve,
    routes: dashboardRoutes(folder),
  })
  const server = await servePlain(app.fetch, port)
  const certificate = await serverCertificate(folder, Date.now())
  const secure = await serve(app.fetch, { port: 0, certificate })
  const stop = async () => {
    watches.close()
    await Promise.all([server.stop(), secure.stop()])
  }
  return { port: server.port, securePort: secure.port, stop }
}

function runMonitor(store: Store, settings: Settings, log: LogEntry[]): () => Promise<void> {
  const ending = new AbortController()
  const outside = { store, settings, clock: Date.now, random: Math.random, uuid: randomUUID }
  const note = (entry: LogEntry) => void (entry.level === 'error' && log.push(entry))
  const monitor = createMonitor(
    { ...outside, sleep: interruptibleSleep, log: note },
    { lifetimeMs: Number.POSITIVE_INFINITY, endWhenEmpty: false },
  )
  const run = monitor.run(ending.signal)
  return async () => {
    ending.abort()
    await run
  }
}

async function call<T>(url: string, method: string, body?: unknown): Promise<T> {
  const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json'
  const response = await fetch(url, {
    method,
    headers: { authorization: 'Bearer admin', 'content-type': type },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`${method} ${url}: ${response.status} ${text}`)
  return JSON.parse(text) as T
}

async function put(store: Store, resource: string, object: KubeObject): Promise<void> {
  const created = { uid: randomUUID(), creationTimestamp: new Date().toISOString() }
  const { kind } = await store.commit([await putStep(store, resource, object, created)])
  if (kind !== 'committed')
    throw new Error(`${resource} ${object.metadata.name} was changed meanwhile`)
}

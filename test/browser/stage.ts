/** The api with its page over a store in memory, on a real port, for a browser to look at. */
import { randomUUID } from 'node:crypto'
import timers from 'node:timers/promises'
import { createApi } from '../../functions/api/app.ts'
import { dashboardRoutes } from '../../functions/api/dashboard-route.ts'
import type { LogEntry } from '../../functions/api/deps.ts'
import { createWatch } from '../../functions/api/watch/watches.ts'
import { createMonitor } from '../../functions/monitor/loop.ts'
import { serverCertificate } from '../../local/certificates.ts'
import { type Listening, serve } from '../../local/https-server.ts'
import { createAuthorizer } from '../../shared/auth/authorizer.ts'
import type { Authenticator, Identity } from '../../shared/auth/identity.ts'
import type { KubeObject } from '../../shared/kube/objects.ts'
import { resources } from '../../shared/kube/registry.ts'
import { defaultSettings, type Settings } from '../../shared/lifecycle/settings.ts'
import { memoryStore } from '../../shared/store/memory/store.ts'
import type { Store } from '../../shared/store/ports.ts'

export interface Stage {
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
  /** The server goes away; what it stored stays. */
  pull(): Promise<void>
  /** And comes back at the same address. */
  plug(): Promise<void>
}

const person = (user: string, ...groups: string[]): Identity => ({
  user,
  groups: [...groups, 'system:authenticated'],
})

export async function startStage(folder: string): Promise<Stage> {
  const store = memoryStore({ clock: Date.now })
  const log: LogEntry[] = []
  const callers = new Map([
    ['admin', person('admin', 'system:masters')],
    ['viewer', person('vera', 'leasehold:viewers')],
    ['operator', person('olaf', 'leasehold:operators')],
  ])
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
    pull: () => server.stop(),
    plug: async () => {
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
  const watches = createWatch({ ...outside, settings: { pollMs: 100 } })
  const app = createApi({
    ...outside,
    uuid: randomUUID,
    authenticator: authenticatorOf(callers),
    authorizer: createAuthorizer(),
    watch: watches.serve,
    routes: dashboardRoutes(folder),
  })
  const server = await serve(app.fetch, port)
  const secure = await serve(app.fetch, 0, await serverCertificate(folder, Date.now()))
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
    { ...outside, sleep, log: note },
    { lifetimeMs: Number.POSITIVE_INFINITY, endWhenEmpty: false },
  )
  const run = monitor.run(ending.signal)
  return async () => {
    ending.abort()
    await run
  }
}

/** Ends early when the signal says so. */
async function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  await timers.setTimeout(ms, undefined, { signal }).catch(() => {})
}

const authenticatorOf = (callers: ReadonlyMap<string, Identity>): Authenticator => ({
  async authenticate(authorization) {
    if (authorization === undefined) return { kind: 'anonymous' }
    const identity = callers.get(authorization.replace(/^Bearer /, ''))
    return identity ? { kind: 'known', identity } : { kind: 'refused' }
  },
})

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
  const { metadata } = object
  const key = { namespace: metadata.namespace ?? '', name: metadata.name ?? '' }
  const believed = await store.objects.get(resource, key)
  const fields = resources.find(({ plural }) => plural === resource)!.selectable(object)
  const born = { uid: randomUUID(), creationTimestamp: new Date().toISOString() }
  const whole = { ...object, metadata: { ...born, ...believed?.object.metadata, ...metadata } }
  const step = believed
    ? { do: 'replaceObject' as const, believed, object: whole, fields }
    : { do: 'createObject' as const, resource, object: whole, fields }
  const { kind } = await store.commit([step])
  if (kind !== 'committed') throw new Error(`${resource} ${key.name} was changed by somebody else`)
}

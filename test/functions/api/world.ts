/** The whole api over a store in memory and a clock that stands still, for tests to talk to. */

import type { ApiDeps, LogEntry } from '../../../functions/api/deps.ts'
import { createEntry, type Entry } from '../../../functions/api/entry.ts'
import { createFullApi } from '../../../functions/api/full-api.ts'
import { type HttpEvent, respondToEvent } from '../../../functions/api/lambda/http-event.ts'
import { responseOf } from '../../../functions/api/response/json-response.ts'
import { createAdmission } from '../../../shared/auth/access/admission.ts'
import { createAuthorizer } from '../../../shared/auth/access/authorizer.ts'
import type { Identity } from '../../../shared/auth/identity.ts'
import { memoryStore } from '../../../shared/store/memory/store.ts'
import type { Store } from '../../../shared/store/ports.ts'
import { caller, tokenAuthenticator, wellKnownCallers } from '../../builders/callers.ts'
import { seededRandom } from '../../builders/seeded-random.ts'
import { functionUrlEvent } from './lambda/events.ts'

export const START_MS = Date.parse('2026-01-02T03:04:05.678Z')

/** Bearer token -> who that is. */
export const callers: Readonly<Record<string, Identity>> = {
  ...wellKnownCallers,
  stranger: caller('sid'),
  'node-a': caller('system:node:node-a', 'system:nodes'),
  'node-b': caller('system:node:node-b', 'system:nodes'),
}

const authenticator = tokenAuthenticator(new Map(Object.entries(callers)))

export interface Call {
  /** The token; null sends none. Default admin. */
  readonly as?: string | null
  readonly body?: unknown
  /** Sent as they are, instead of `body`. */
  readonly raw?: string | Uint8Array<ArrayBuffer>
  readonly type?: string
  readonly headers?: Readonly<Record<string, string>>
}

export interface Reply {
  readonly status: number
  // biome-ignore lint/suspicious/noExplicitAny: tests look into whatever came back
  readonly body: any
  readonly text: string
  readonly headers: Headers
}

export interface World {
  readonly store: Store
  readonly app: ReturnType<typeof createFullApi>
  readonly entry: Entry
  readonly deps: ApiDeps
  readonly log: LogEntry[]
  readonly clock: () => number
  advance(ms: number): void
  call(method: string, path: string, call?: Call): Promise<Reply>
}

const HOST = 'http://localhost'

/**
 * How a request comes in: as a process meets it, straight into the whole api, or as a Lambda event.
 */
export const WAYS = ['entry', 'app', 'event'] as const
export type Way = (typeof WAYS)[number]

const PATCH_TYPES: Readonly<Record<string, string>> = {
  PATCH: 'application/merge-patch+json',
}

export function world(overrides: Partial<ApiDeps> = {}, way: Way = 'entry'): World {
  let nowMs = START_MS
  let uuids = 0
  const clock = () => nowMs
  const log: LogEntry[] = []
  const store = memoryStore({ clock })
  const deps: ApiDeps = {
    store,
    clock,
    random: seededRandom(42),
    uuid: () => `00000000-0000-4000-8000-${String(++uuids).padStart(12, '0')}`,
    authenticator,
    authorizer: createAuthorizer(),
    admission: createAdmission(
      async (name) => (await store.objects.get('nodes', { namespace: '', name }))?.object,
    ),
    log: (entry) => log.push(entry),
    wait: async (ms) => {
      nowMs += ms
    },
    ...overrides,
  }
  const app = createFullApi(deps)
  const entry = createEntry(deps, async () => app)
  const send = {
    entry: (path: string, sent: RequestInit) => entry.fetch(new Request(`${HOST}${path}`, sent)),
    app: (path: string, sent: RequestInit) => app.request(path, sent),
    event: async (path: string, sent: RequestInit) =>
      responseOf(await respondToEvent(entry, eventOf(path, sent))),
  }[way]
  const call = async (method: string, path: string, options: Call = {}) =>
    await replyOf(await send(path, init(method, options)))
  return {
    store: deps.store,
    app,
    entry,
    deps,
    log,
    clock,
    advance: (ms) => {
      nowMs += ms
    },
    call,
  }
}

export function init(
  method: string,
  { as = 'admin', body, raw, type, headers }: Call,
): RequestInit {
  const text = raw ?? (body === undefined ? undefined : JSON.stringify(body))
  return {
    method,
    headers: {
      ...(as !== null && { authorization: `Bearer ${as}` }),
      ...(text !== undefined && {
        'content-type': type ?? PATCH_TYPES[method] ?? 'application/json',
      }),
      ...headers,
    },
    ...(text !== undefined && { body: text }),
  }
}

function eventOf(path: string, { method, headers, body }: RequestInit): HttpEvent {
  const [rawPath = '', query] = path.split('?')
  const bytes = body === undefined ? undefined : Buffer.from(body as string | Uint8Array)
  return functionUrlEvent({
    method,
    path: rawPath,
    query,
    headers: headers as Record<string, string>,
    ...(bytes && { body: bytes.toString('base64'), base64: true }),
  })
}

export async function replyOf(response: Response): Promise<Reply> {
  const { status, headers } = response
  const text = await response.text()
  const isJson = headers.get('content-type')?.startsWith('application/json')
  return { status, headers, text, body: isJson && text ? JSON.parse(text) : undefined }
}

export const NODES = '/api/v1/nodes'
export const PODS = '/api/v1/namespaces/default/pods'
export const LEASES = '/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases'
export const LOCKS = '/apis/coordination.k8s.io/v1/namespaces/default/leases'

export const lease = (name: string, spec: object, metadata: object = {}) => ({
  apiVersion: 'coordination.k8s.io/v1',
  kind: 'Lease',
  metadata: { name, ...metadata },
  spec,
})

export const node = (name: string, rest: object = {}) => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name },
  ...rest,
})

export const pod = (name: string, spec: object = {}, metadata: object = {}) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, ...metadata },
  spec: { containers: [{ name: 'main', image: 'busybox' }], ...spec },
})

/**
 * A small service over real HTTP on loopback, for the agent to survive: it keeps one Node and one
 * Lease by Kubernetes' rules of versions, gives out tokens, counts requests and can be made to
 * misbehave.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { KubeObject } from '../../shared/kube/objects.ts'

type Stored = KubeObject & Record<string, unknown>
export type Fault = (request: {
  readonly method: string
  readonly path: string
  readonly token: string
}) => { readonly code: number; readonly headers?: Record<string, string> } | 'hang' | undefined

export interface SmallServer {
  readonly url: string
  readonly requests: { method: string; path: string; token: string; body: unknown }[]
  readonly objects: Map<string, Stored>
  /** Sent with every answer to a lease write. */
  beatHeaders: Record<string, string>
  fault: Fault
  /** Tokens that are good, and what each may be changed for. */
  readonly tokens: Map<string, 'bootstrap' | 'joining' | 'node'>
  connections(): number
  count(method: string, path?: RegExp): number
  stop(): Promise<void>
}

export const BOOTSTRAP = 'abcdef.0123456789abcdef'
export const NODE = '/api/v1/nodes/a'
export const LEASE = '/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/a'

export async function smallServer(port = 0): Promise<SmallServer> {
  let version = 0
  let connections = 0
  const state: SmallServer = {
    url: '',
    requests: [],
    objects: new Map(),
    beatHeaders: {},
    fault: () => undefined,
    tokens: new Map([[BOOTSTRAP, 'bootstrap']]),
    connections: () => connections,
    count: (method, path = /./) =>
      state.requests.filter((each) => each.method === method && path.test(each.path)).length,
    stop: () => close(server),
  }
  const server = createServer((request, response) => void serve(request, response))
  server.on('connection', () => connections++)
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  Object.assign(state, { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` })
  return state

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', url: path = '' } = request
    const text = await textOf(request)
    const body = text === '' ? undefined : JSON.parse(text)
    const token = (request.headers.authorization ?? '').replace('Bearer ', '')
    state.requests.push({ method, path, token, body })
    const met = state.fault({ method, path, token })
    if (met === 'hang') return
    if (met) {
      const reason = met.code === 403 ? 'Forbidden' : ''
      return say(response, met.code, failure(met.code, '', reason), met.headers)
    }
    if (path === '/version') return say(response, 200, { gitVersion: 'v1' })
    if (!state.tokens.has(token)) return say(response, 401, failure(401))
    if (path.endsWith('/token')) return giveToken(response, token)
    const isBeat = path.includes('/leases') && method !== 'GET'
    const [code, answer] = handle(method, path, body)
    say(response, code, answer, isBeat ? state.beatHeaders : {})
  }

  function giveToken(response: ServerResponse, token: string): void {
    const kind = state.tokens.get(token)
    const node = state.objects.get(NODE)
    if (kind === 'joining' && !node) {
      say(response, 404, failure(404, 'nodes'))
      return
    }
    const next = kind === 'bootstrap' && !node ? 'joining' : 'node'
    const given = `${next}-${state.tokens.size}`
    state.tokens.set(given, next)
    say(response, 201, {
      spec: {
        expirationSeconds: next === 'node' ? 604_800 : 600,
        ...(next === 'node' && { boundObjectRef: { kind: 'Node', name: 'a' } }),
      },
      status: { token: given },
    })
  }

  function handle(method: string, path: string, body: Stored): [number, unknown] {
    const key = path.replace(/\?.*|\/status$/g, '')
    if (method === 'POST') {
      const made = `${key}/${body.metadata.name}`
      if (state.objects.has(made)) return [409, failure(409, '', 'AlreadyExists')]
      return [201, store(made, { ...body, metadata: { ...body.metadata, uid: `u${++version}` } })]
    }
    if (path.includes('/pods?')) return [200, { items: podsIn(state.objects) }]
    const found = state.objects.get(key)
    if (!found) return [404, failure(404, key.includes('/nodes/') ? 'nodes' : 'leases')]
    if (method === 'GET') return [200, found]
    if (method === 'DELETE') {
      state.objects.delete(key)
      return [200, { kind: 'Status', status: 'Success' }]
    }
    if (method === 'PATCH') return [200, store(key, merge(found, body) as Stored)]
    const isStale = body.metadata.resourceVersion !== found.metadata.resourceVersion
    return isStale ? [409, failure(409)] : [200, store(key, body)]
  }

  function store(key: string, object: Stored): Stored {
    const metadata = { ...object.metadata, resourceVersion: String(++version) }
    const stored = { ...object, metadata }
    state.objects.set(key, stored)
    return stored
  }
}

const podsIn = (objects: ReadonlyMap<string, Stored>) =>
  [...objects].filter(([key]) => key.includes('/pods/')).map(([, pod]) => pod)

/** As much of a strategic merge as a status patch needs: maps, null, lists by type. */
function merge(old: unknown, patch: unknown): unknown {
  if (Array.isArray(patch)) return mergeLists(Array.isArray(old) ? old : [], patch)
  if (typeof patch !== 'object' || patch === null) return patch
  const result = { ...(old as Record<string, unknown>) }
  for (const [key, value] of Object.entries(patch)) {
    if (key.startsWith('$')) continue
    if (value === null) delete result[key]
    else result[key] = merge(result[key], value)
  }
  return result
}

function mergeLists(
  old: readonly Record<string, unknown>[],
  patch: readonly Record<string, unknown>[],
) {
  if (patch.some(({ $patch }) => $patch === 'replace')) return patch.filter(({ $patch }) => !$patch)
  if (!patch.every(({ type }) => type !== undefined)) return patch
  const merged = old.map((each) => merge(each, patch.find(({ type }) => type === each.type) ?? {}))
  const added = patch.filter(({ type }) => !old.some((each) => each.type === type))
  return [...merged, ...added]
}

function failure(code: number, kind = '', reason = '') {
  return {
    kind: 'Status',
    status: 'Failure',
    code,
    reason,
    message: `no: ${code}`,
    details: { kind },
  }
}

function say(
  response: ServerResponse,
  code: number,
  body: unknown,
  headers: Record<string, string> = {},
): void {
  response.writeHead(code, { 'content-type': 'application/json', ...headers })
  response.end(JSON.stringify(body))
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString('utf8')
}

function close(server: Server): Promise<void> {
  server.closeAllConnections()
  return new Promise((resolve) => server.close(() => resolve()))
}

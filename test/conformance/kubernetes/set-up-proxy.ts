/**
 * Between Kubernetes' test suite and the server: adds the token, and plays the two objects that a
 * cluster's controllers put into each new namespace and that the suite waits for before every spec. Nothing
 * else is changed.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import https from 'node:https'
import type { AddressInfo } from 'node:net'
import type { Access } from '../../local-system/in-process.ts'

interface Proxy {
  readonly url: string
  stop(): void
}

const PLAYED: Readonly<Record<string, { readonly kind: string; readonly name: string }>> = {
  serviceaccounts: { kind: 'ServiceAccount', name: 'default' },
  configmaps: { kind: 'ConfigMap', name: 'kube-root-ca.crt' },
}
const PATH = /^\/api\/v1\/namespaces\/([^/]+)\/(serviceaccounts|configmaps)(?:\/([^/]+))?$/

export async function startSetUpProxy(access: Access): Promise<Proxy> {
  const agent = new https.Agent({ keepAlive: true, ca: access.caPem })
  const server = createServer((request, response) => {
    if (!playSetUp(request, response)) forward(access, agent, request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    stop() {
      server.closeAllConnections()
      server.close()
      agent.destroy()
    },
  }
}

function playSetUp(request: IncomingMessage, response: ServerResponse): boolean {
  const { pathname, searchParams } = new URL(request.url ?? '', 'http://proxy')
  const [, namespace, plural = '', asked] = PATH.exec(pathname) ?? []
  const played = PLAYED[plural]
  if (request.method !== 'GET' || !played) return false
  const { kind, name } = played
  if (asked !== undefined && asked !== name) return false
  const metadata = { name, namespace, uid: `played-${namespace}`, resourceVersion: '1' }
  const object = { apiVersion: 'v1', kind, metadata }
  const send = (body: object) => response.write(`${JSON.stringify(body)}\n`)
  response.writeHead(200, { 'content-type': 'application/json' })
  if (asked !== undefined) response.end(JSON.stringify(object))
  else if (searchParams.get('watch') !== 'true') {
    const list = { apiVersion: 'v1', kind: `${kind}List`, metadata: { resourceVersion: '1' } }
    response.end(JSON.stringify({ ...list, items: [object] }))
  } else if (searchParams.get('sendInitialEvents') === 'true') {
    const annotations = { 'k8s.io/initial-events-end': 'true' }
    const end = { apiVersion: 'v1', kind, metadata: { resourceVersion: '1', annotations } }
    send({ type: 'ADDED', object })
    send({ type: 'BOOKMARK', object: end })
  } else response.flushHeaders()
  return true
}

function forward(
  { server, token }: Access,
  agent: https.Agent,
  request: IncomingMessage,
  response: ServerResponse,
): void {
  const { method, url = '' } = request
  const { host: _proxy, ...sent } = request.headers
  const headers = { ...sent, authorization: `Bearer ${token}` }
  const upstream = https.request(new URL(url, server), { method, agent, headers })
  upstream.on('response', (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers)
    response.flushHeaders()
    answer.pipe(response)
  })
  // A client that ends its watch, or a server that is stopped.
  upstream.on('error', () => response.destroy())
  response.on('close', () => upstream.destroy())
  request.pipe(upstream)
}

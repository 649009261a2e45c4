/**
 * How does the agent speak with the service? One request in, one response out. A failing network is
 * a response with code 0, never an exception.
 */
import type { Status } from '../shared/kube/status-error.ts'

export interface ServiceRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  readonly path: string
  readonly body?: unknown
  /** JSON unless told otherwise. */
  readonly contentType?: string
  readonly timeoutMs?: number
  /** On a connection of its own, so that a beat never queues behind other requests. */
  readonly isBeat?: true
  /** Sent as a Prefer header; a service that does not know it answers as usual. */
  readonly prefer?: 'return=minimal'
}

export interface ServiceResponse {
  /** The HTTP status; 0 when there was no response at all. */
  readonly code: number
  readonly body: unknown
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly retryAfterMs?: number
  /** Why there is no response, or what the service said. For people. */
  readonly why: string
}

export interface ServiceClient {
  send(request: ServiceRequest): Promise<ServiceResponse>
  /** Drops pooled connections: after a failure the next request opens a new one. */
  reset(): void
}

export const NODE_LEASE_NAMESPACE = 'kube-node-lease'

const NODE_LEASES = `/apis/coordination.k8s.io/v1/namespaces/${NODE_LEASE_NAMESPACE}/leases`
/** Without a name, the path to create a Lease. */
export const leasePath = (name?: string) =>
  name === undefined ? NODE_LEASES : `${NODE_LEASES}/${encodeURIComponent(name)}`
export const nodePath = (name: string) => `/api/v1/nodes/${encodeURIComponent(name)}`
export const nodeStatusPath = (name: string) => `${nodePath(name)}/status`

const patchAs = (contentType: string) => {
  return (path: string, body: unknown) => ({ method: 'PATCH', path, body, contentType }) as const
}
export const mergePatch = patchAs('application/merge-patch+json')
export const strategicMergePatch = patchAs('application/strategic-merge-patch+json')

type Outcome =
  | 'ok'
  | 'conflict'
  | 'alreadyExists'
  | 'notFound'
  | 'forbidden'
  | 'unauthorized'
  | 'error'

export function outcomeOf(response: ServiceResponse): Outcome {
  if (response.code >= 200 && response.code < 300) return isObject(response.body) ? 'ok' : 'error'
  if (response.code === 409) {
    return statusOf(response)?.reason === 'AlreadyExists' ? 'alreadyExists' : 'conflict'
  }
  if (response.code === 404) return 'notFound'
  if (response.code === 403) return 'forbidden'
  return response.code === 401 ? 'unauthorized' : 'error'
}

/** A 200 without an object comes from a captive portal: the service has not seen the request. */
const isObject = (body: unknown) => typeof body === 'object' && body !== null

export function statusOf(response: ServiceResponse): Status | undefined {
  const body = response.body as Partial<Status> | null | undefined
  return body?.kind === 'Status' ? (body as Status) : undefined
}

/** A 404 that says "no such Node", as opposed to a wrong address or a misconfigured proxy. */
export const saysNodeIsGone = (response: ServiceResponse): boolean =>
  response.code === 404 && statusOf(response)?.details?.kind === 'nodes'

export function headerNumber(response: ServiceResponse, name: string): number | undefined {
  const text = response.headers[name]
  if (typeof text !== 'string' || text.trim() === '') return undefined
  const value = Number(text)
  return Number.isFinite(value) ? value : undefined
}

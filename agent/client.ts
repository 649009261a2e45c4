/**
 * How does the agent speak with the service? One call in, one answer out. Never throws for what the
 * net does.
 */
import type { Status } from '../shared/kube/status-error.ts'

export interface Call {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  readonly path: string
  readonly body?: unknown
  /** JSON unless told otherwise. */
  readonly contentType?: string
  readonly timeoutMs?: number
  /** On a connection of its own, so that it queues behind nothing else of this host. */
  readonly isBeat?: true
}

export interface Answer {
  /** The HTTP status; 0 when there was no answer at all. */
  readonly code: number
  readonly body: unknown
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly retryAfterMs?: number
  /** Why there is no answer, or what the service said. For people. */
  readonly why: string
}

export interface Client {
  send(call: Call): Promise<Answer>
  /** Drops pooled connections: after a failure the next call meets a fresh one. */
  reset(): void
}

export type Outcome =
  | 'ok'
  | 'conflict'
  | 'alreadyExists'
  | 'notFound'
  | 'forbidden'
  | 'unauthorized'
  | 'error'

export function outcomeOf(answer: Answer): Outcome {
  if (answer.code >= 200 && answer.code < 300) return isObject(answer.body) ? 'ok' : 'error'
  if (answer.code === 409) {
    return statusOf(answer)?.reason === 'AlreadyExists' ? 'alreadyExists' : 'conflict'
  }
  if (answer.code === 404) return 'notFound'
  if (answer.code === 403) return 'forbidden'
  return answer.code === 401 ? 'unauthorized' : 'error'
}

/** A page that says 200 comes from a portal on the way, and has taken no beat. */
const isObject = (body: unknown) => typeof body === 'object' && body !== null

export function statusOf(answer: Answer): Status | undefined {
  const body = answer.body as Partial<Status> | null | undefined
  return body?.kind === 'Status' ? (body as Status) : undefined
}

/**
 * A 404 that says "no such Node", as opposed to a wrong address or a proxy that has lost its way.
 */
export const saysNodeIsGone = (answer: Answer): boolean =>
  answer.code === 404 && statusOf(answer)?.details?.kind === 'nodes'

export function headerNumber(answer: Answer, name: string): number | undefined {
  const text = answer.headers[name]
  if (typeof text !== 'string' || text.trim() === '') return undefined
  const value = Number(text)
  return Number.isFinite(value) ? value : undefined
}

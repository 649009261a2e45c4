/**
 * Speaks the Kubernetes API with the token of whoever is signed in. The only place that calls
 * `fetch`.
 */
import { narrow, type Skew, skewMs } from './server-clock.ts'

/** What the server said no to, in its own words. */
export class ApiError extends Error {
  readonly code: number
  readonly reason: string

  constructor(code: number, reason: string, message: string) {
    super(message)
    this.code = code
    this.reason = reason
  }
}

export interface Client {
  get<T>(path: string, options?: GetOptions): Promise<T>
  send<T>(method: 'POST' | 'PATCH' | 'DELETE', path: string, body: unknown): Promise<T>
  /** A watch: its bytes as they come. */
  open(path: string, signal: AbortSignal): Promise<ReadableStream<Uint8Array>>
  /** By the server's clock, as well as it is known. */
  nowMs(): number
}

export interface GetOptions {
  readonly signal?: AbortSignal
  readonly accept?: string
}

export interface ClientDeps {
  readonly token: string
  readonly fetch: typeof fetch
  readonly clock: () => number
  /** The token is not, or no longer, good. */
  readonly onUnauthorized: () => void
}

const JSON_TYPE = 'application/json'
/** A read that takes longer than this is taken for lost; the next one may fare better. */
const PATIENCE_MS = 20_000

const contentTypes = {
  POST: JSON_TYPE,
  PATCH: 'application/merge-patch+json',
  DELETE: JSON_TYPE,
}

export function apiClient(deps: ClientDeps): Client {
  let skew: Skew | undefined

  async function call(path: string, init: RequestInit): Promise<Response> {
    const sentAtMs = deps.clock()
    const headers = { accept: JSON_TYPE, ...init.headers, authorization: `Bearer ${deps.token}` }
    const response = await deps.fetch(path, { ...init, headers, cache: 'no-store' })
    const dateMs = Date.parse(response.headers.get('date') ?? '')
    if (dateMs) skew = narrow(skew, { sentAtMs, receivedAtMs: deps.clock(), dateMs })
    if (response.ok) return response
    if (response.status === 401) deps.onUnauthorized()
    throw await refusal(response)
  }

  return {
    nowMs: () => deps.clock() + skewMs(skew),
    async get<T>(path: string, { signal, accept = JSON_TYPE }: GetOptions = {}) {
      const limit = AbortSignal.timeout(PATIENCE_MS)
      const both = signal ? AbortSignal.any([signal, limit]) : limit
      return (await (await call(path, { signal: both, headers: { accept } })).json()) as T
    },
    async send<T>(method: 'POST' | 'PATCH' | 'DELETE', path: string, body: unknown) {
      const headers = { 'content-type': contentTypes[method] }
      const signal = AbortSignal.timeout(PATIENCE_MS)
      const init = { method, headers, signal, body: JSON.stringify(body) }
      return (await (await call(path, init)).json()) as T
    },
    async open(path, signal) {
      const { body } = await call(path, { signal })
      return body ?? new ReadableStream({ start: (controller) => controller.close() })
    },
  }
}

async function refusal(response: Response): Promise<ApiError> {
  const text = await response.text()
  try {
    const { reason = '', message = '' } = JSON.parse(text)
    return new ApiError(response.status, String(reason), String(message) || fallback(response))
  } catch (error) {
    // A gateway in between answers in a language of its own.
    if (error instanceof SyntaxError) return new ApiError(response.status, '', fallback(response))
    throw error
  }
}

const fallback = ({ status }: Response) => `the server answered ${status} without saying why`

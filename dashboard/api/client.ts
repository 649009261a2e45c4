/** The Kubernetes API, called with the user's token; and where that token is kept. */
import { type ClockSkew, likelySkewMs, narrowSkew } from '../../shared/lifecycle/clock-skew.ts'

/** An answer outside 2xx, with the reason and message of its Status. */
export class ApiError extends Error {
  readonly code: number
  readonly reason: string

  constructor(code: number, reason: string, message: string) {
    super(message)
    this.code = code
    this.reason = reason
  }
}

/** The only caller of `fetch`. */
export interface KubeClient {
  get<T>(path: string, options?: GetOptions): Promise<T>
  send<T>(method: 'POST' | 'PATCH' | 'DELETE', path: string, body: unknown): Promise<T>
  /** A watch: its bytes as they arrive. */
  open(path: string, signal: AbortSignal): Promise<ReadableStream<Uint8Array>>
  /** The server's time, estimated from the `Date` of its answers. */
  nowMs(): number
}

interface GetOptions {
  readonly signal?: AbortSignal
  readonly accept?: string
}

interface ClientDeps {
  readonly token: string
  readonly fetch: typeof fetch
  readonly clock: () => number
  /** The token is invalid or has expired. */
  readonly onUnauthorized: () => void
}

const JSON_TYPE = 'application/json'
/** A request that takes longer than this is abandoned; the caller tries again. */
const REQUEST_TIMEOUT_MS = 20_000

const contentTypes = {
  POST: JSON_TYPE,
  PATCH: 'application/merge-patch+json',
  DELETE: JSON_TYPE,
}

export function kubeClient(deps: ClientDeps): KubeClient {
  let skew: ClockSkew | undefined

  async function call(path: string, init: RequestInit): Promise<Response> {
    const sentAtMs = deps.clock()
    const headers = { accept: JSON_TYPE, ...init.headers, authorization: `Bearer ${deps.token}` }
    const response = await deps.fetch(path, { ...init, headers, cache: 'no-store' })
    const dateMs = Date.parse(response.headers.get('date') ?? '')
    if (dateMs) skew = narrowSkew(skew, { sentAtMs, receivedAtMs: deps.clock(), dateMs })
    if (response.ok) return response
    if (response.status === 401) deps.onUnauthorized()
    throw await errorOf(response)
  }

  return {
    nowMs: () => deps.clock() - likelySkewMs(skew),
    async get<T>(path: string, { signal, accept = JSON_TYPE }: GetOptions = {}) {
      const limit = AbortSignal.timeout(REQUEST_TIMEOUT_MS)
      const both = signal ? AbortSignal.any([signal, limit]) : limit
      return (await (await call(path, { signal: both, headers: { accept } })).json()) as T
    },
    async send<T>(method: 'POST' | 'PATCH' | 'DELETE', path: string, body: unknown) {
      const headers = { 'content-type': contentTypes[method] }
      const signal = AbortSignal.timeout(REQUEST_TIMEOUT_MS)
      const init = { method, headers, signal, body: JSON.stringify(body) }
      return (await (await call(path, init)).json()) as T
    },
    async open(path, signal) {
      const { body } = await call(path, { signal })
      return body ?? new ReadableStream({ start: (controller) => controller.close() })
    },
  }
}

async function errorOf(response: Response): Promise<ApiError> {
  const text = await response.text()
  try {
    const { reason = '', message = '' } = JSON.parse(text)
    return new ApiError(response.status, String(reason), String(message) || fallback(response))
  } catch (error) {
    // A gateway in between answers with something that is not a Status.
    if (error instanceof SyntaxError) return new ApiError(response.status, '', fallback(response))
    throw error
  }
}

const fallback = ({ status }: Response) => `the server answered ${status} without saying why`

interface TokenStorage {
  read(): string | undefined
  write(token: string): void
  clear(): void
}

const TOKEN_KEY = 'leasehold-token'

/**
 * The token is kept in sessionStorage: in this tab until it is closed. A browser that forbids
 * storage throws; then the token is in memory only, and a reload asks for it again.
 */
export function tokenStorage(storage: () => Storage): TokenStorage {
  let inMemory: string | undefined
  const attempt = <T>(access: (storage: Storage) => T): T | undefined => {
    try {
      return access(storage())
    } catch (error) {
      if (error instanceof DOMException) return undefined
      throw error
    }
  }
  return {
    read: () => inMemory ?? attempt((held) => held.getItem(TOKEN_KEY)) ?? undefined,
    write(token) {
      inMemory = token
      attempt((held) => held.setItem(TOKEN_KEY, token))
    },
    clear() {
      inMemory = undefined
      attempt((held) => held.removeItem(TOKEN_KEY))
    },
  }
}

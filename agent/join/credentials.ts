/**
 * How does this host authenticate? It exchanges a bootstrap token for a joining token, registers
 * its Node, and exchanges that for a token bound to the Node, renewed at two thirds of its life.
 */
import { outcomeOf, type ServiceClient, type ServiceResponse, statusOf } from '../client.ts'
import type { AgentClock } from '../clock.ts'
import type { Transport } from '../http.ts'
import type { Log } from '../log.ts'
import type { HeldToken, TokenStore } from './token-store.ts'

const RENEW_AT = 2 / 3
/** A refused host asks again ever more slowly: an operator has to act first. */
const FIRST_PAUSE_MS = 1_000
const LONGEST_PAUSE_MS = 60_000

/** Lets this machine in again after its token was lost or has run out; see docs/security.md. */
const MACHINE_PROOF = 'leasehold.dev/machine-proof'

interface JoinOptions {
  readonly transport: Transport
  readonly nodeName: string
  readonly bootstrapToken?: string
  /** A token of the Node itself, which an operator made; the kept one wins. */
  readonly nodeToken?: string
  /** Asked only when this host joins: no other request carries the secret. */
  readonly machineProof?: () => Promise<string>
  readonly store: TokenStore
  readonly clock: AgentClock
  readonly log: Log
}

/** `refused`: the service itself said no, so that asking again will not help. */
type TokenResult = 'ready' | 'failed' | 'refused'

export interface NodeCredentials {
  current(): string | undefined
  readonly canJoin: boolean
  /** The kept token, without joining for one. */
  peek(): Promise<string | undefined>
  /** Whether the token is one that can do nothing but register. */
  isJoining(): boolean
  /** Loads the kept token, or joins. */
  obtain(): Promise<TokenResult>
  /** After registering: exchanges a joining token for one bound to this Node. */
  bind(): Promise<TokenResult>
  /** Is it time for the next token? Never while there is nothing to renew. */
  isRenewalDue(): boolean
  renew(): Promise<TokenResult>
  /** The service rejected `used`. True when there is another token to try. */
  rejected(used: string | undefined): Promise<boolean>
  /** The Node is gone, and its token with it. */
  forget(): Promise<void>
}

const tokenPath = (name: string) => `/apis/leasehold.dev/v1/nodes/${encodeURIComponent(name)}/token`

export function nodeCredentials(options: JoinOptions): NodeCredentials {
  const { clock, log, store, bootstrapToken } = options
  let held: HeldToken | undefined
  /** By the steady clock; for a token from the file, when it was read. */
  let heldSinceMs = clock.steadyMs()
  let pauseMs = 0
  let notBeforeMs = Number.NEGATIVE_INFINITY
  let pending: Promise<TokenResult> | undefined
  const keep = async (token: HeldToken | undefined) => {
    held = token
    heldSinceMs = clock.steadyMs()
    await store.save(token).catch((error: Error) => {
      // Full disk or no permission: the token in memory serves until the next start.
      log.warn(`cannot keep the token: ${error.message}; free space or check the directory`)
    })
  }
  /** One request at a time, and none before the pause is over. */
  const requestToken = (bearer: string | undefined): Promise<TokenResult> => {
    if (pending) return pending
    if (!bearer || clock.steadyMs() < notBeforeMs) return Promise.resolve('failed')
    pending = exchange(bearer).finally(() => {
      pending = undefined
    })
    return pending
  }
  const exchange = async (bearer: string): Promise<TokenResult> => {
    const request = await tokenRequest(options, bearer)
    const response = await options.transport.exchange(request, bearer)
    const issued = outcomeOf(response) === 'ok' ? issuedToken(response, clock.wallMs()) : undefined
    if (!issued) {
      pauseMs = Math.min(Math.max(pauseMs * 2, FIRST_PAUSE_MS), LONGEST_PAUSE_MS)
      notBeforeMs = clock.steadyMs() + Math.max(pauseMs, response.retryAfterMs ?? 0)
      log.warn(`no token from the service: ${response.why}`)
      return isRefusal(response) ? 'refused' : 'failed'
    }
    pauseMs = 0
    notBeforeMs = Number.NEGATIVE_INFINITY
    await keep(issued)
    return 'ready'
  }

  return {
    canJoin: bootstrapToken !== undefined,
    current: () => held?.token,
    peek: async () => (held ?? (await store.load()))?.token ?? options.nodeToken,
    isJoining: () => held?.kind === 'joining',
    async obtain() {
      held ??= (await keptToken(options)) ?? givenToken(options.nodeToken)
      return held ? 'ready' : requestToken(bootstrapToken)
    },
    bind: () => (held?.kind === 'node' ? Promise.resolve('ready') : requestToken(held?.token)),
    isRenewalDue: () => held?.kind === 'node' && isPastDue(held, clock, heldSinceMs),
    renew: () => requestToken(held?.token),
    async rejected(used) {
      if (held && held.token !== used) return true
      if (!bootstrapToken) {
        log.warn('the service refuses our token and there is no bootstrap token to join again with')
        return false
      }
      return (await requestToken(bootstrapToken)) === 'ready'
    },
    async forget() {
      notBeforeMs = Number.NEGATIVE_INFINITY
      await keep(undefined)
    },
  }
}

/**
 * By the clock on which more time has passed. A wall clock that shows a time before the issue was
 * set back and says nothing about the token's age: renewing too early is better than too late.
 */
function isPastDue(
  { issuedAtMs, expiresAtMs }: HeldToken,
  clock: AgentClock,
  sinceMs: number,
): boolean {
  const dueMs = (expiresAtMs - issuedAtMs) * RENEW_AT
  const ageMs = clock.wallMs() - issuedAtMs
  return ageMs < 0 || Math.max(ageMs, clock.steadyMs() - sinceMs) >= dueMs
}

/** With the service's own Status object: a 403 page of a proxy or gateway is no refusal. */
const isRefusal = (response: ServiceResponse) =>
  outcomeOf(response) === 'forbidden' && statusOf(response)?.reason === 'Forbidden'

async function tokenRequest(options: JoinOptions, bearer: string) {
  const { nodeName, bootstrapToken, machineProof } = options
  const proof = bearer === bootstrapToken ? await machineProof?.() : undefined
  const annotations = proof ? { [MACHINE_PROOF]: proof } : undefined
  return {
    method: 'POST',
    path: tokenPath(nodeName),
    body: {
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenRequest',
      metadata: { name: nodeName, ...(annotations && { annotations }) },
      spec: {},
    },
  } as const
}

const keptToken = ({ store, log }: JoinOptions) =>
  store.load().catch((error: Error) => {
    log.warn(`cannot read the kept token: ${error.message}`)
    return undefined
  })

/** Undefined where it cannot be read, or says nothing of its life. */
function givenToken(token: string | undefined): HeldToken | undefined {
  const claims = Buffer.from(token?.split('.')[1] ?? '', 'base64url').toString()
  const { iat, exp } = claimsIn(claims)
  if (token === undefined || iat === undefined || exp === undefined) return undefined
  return { token, kind: 'node', issuedAtMs: iat * 1_000, expiresAtMs: exp * 1_000 }
}

function claimsIn(text: string): { readonly iat?: number; readonly exp?: number } {
  try {
    return JSON.parse(text)
  } catch {
    return {}
  }
}

/** Its life counts from now by the host's clock: a wrong clock must not cause constant renewal. */
function issuedToken(response: ServiceResponse, nowMs: number): HeldToken | undefined {
  const { spec, status } = (response.body ?? {}) as {
    spec?: { expirationSeconds?: number; boundObjectRef?: unknown }
    status?: { token?: string }
  }
  if (!status?.token || !spec?.expirationSeconds) return undefined
  return {
    token: status.token,
    kind: spec.boundObjectRef ? 'node' : 'joining',
    issuedAtMs: nowMs,
    expiresAtMs: nowMs + spec.expirationSeconds * 1_000,
  }
}

/** Sends requests with this host's token, and once more when another token replaced a rejected one. */
export function tokenClient(transport: Transport, credentials: NodeCredentials): ServiceClient {
  return {
    reset: () => transport.reset(),
    async send(request) {
      const used = credentials.current()
      const response = await transport.exchange(request, used)
      if (response.code !== 401 || !(await credentials.rejected(used))) return response
      return transport.exchange(request, credentials.current())
    },
  }
}

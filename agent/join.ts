/**
 * Who is this host to the service? It joins with a bootstrap token, gets a joining token,
 * registers, and changes that for a token bound to its Node, which it renews at two thirds of its
 * life.
 */
import type { Answer } from './client.ts'
import { outcomeOf, statusOf } from './client.ts'
import type { Clock } from './clock.ts'
import type { Transport } from './http.ts'
import type { Log } from './log.ts'
import type { HeldToken, TokenStore } from './token-store.ts'

const RENEW_AT = 2 / 3
/** A refused host asks again ever more slowly: somebody has to do something first. */
const FIRST_PAUSE_MS = 1_000
const LONGEST_PAUSE_MS = 60_000

/** Lets this machine in again after it lost its files; see docs/security.md. */
const MACHINE_PROOF = 'leasehold.dev/machine-proof'

export interface JoinOptions {
  readonly transport: Transport
  readonly nodeName: string
  readonly bootstrapToken?: string
  readonly machineProof?: string
  readonly store: TokenStore
  readonly clock: Clock
  readonly log: Log
}

/** `refused`: the service knows who asks and says no, so that asking again will not help. */
export type Got = 'ready' | 'failed' | 'refused'

export interface Credentials {
  current(): string | undefined
  readonly canJoin: boolean
  /** The kept token, without joining for one. */
  peek(): Promise<string | undefined>
  /** Holds a token that can do nothing but register. */
  isJoining(): boolean
  /** Loads the kept token, or joins. */
  obtain(): Promise<Got>
  /** After registering: changes a joining token for one of this Node. */
  bind(): Promise<Got>
  /** Is it time for the next token? Never while there is nothing to renew. */
  isRenewalDue(): boolean
  renew(): Promise<Got>
  /** The service refused `used`. True when there is another one to try. */
  rejected(used: string | undefined): Promise<boolean>
  /** The Node is gone, and with it everything bound to it. */
  forget(): Promise<void>
}

export const tokenPath = (name: string) =>
  `/apis/leasehold.dev/v1/nodes/${encodeURIComponent(name)}/token`

export function credentials(options: JoinOptions): Credentials {
  const { clock, log, store, bootstrapToken } = options
  let held: HeldToken | undefined
  /** By the steady clock; of a token from the file, when it was read. */
  let heldSinceMs = clock.steadyMs()
  let pauseMs = 0
  let notBeforeMs = Number.NEGATIVE_INFINITY
  let asking: Promise<Got> | undefined

  const keep = async (token: HeldToken | undefined) => {
    held = token
    heldSinceMs = clock.steadyMs()
    await store.save(token).catch((error: Error) => {
      // Full disk or no permission: the token in memory serves until the next start.
      log.warn(`cannot keep the token: ${error.message}; free space or check the directory`)
    })
  }
  /** One question at a time, and none before the pause is over. */
  const ask = (bearer: string | undefined): Promise<Got> => {
    if (asking) return asking
    if (!bearer || clock.steadyMs() < notBeforeMs) return Promise.resolve('failed')
    asking = exchange(bearer).finally(() => {
      asking = undefined
    })
    return asking
  }
  const exchange = async (bearer: string): Promise<Got> => {
    const answer = await options.transport.exchange(tokenRequest(options), bearer)
    const given = outcomeOf(answer) === 'ok' ? givenToken(answer, clock.wallMs()) : undefined
    if (!given) {
      pauseMs = Math.min(Math.max(pauseMs * 2, FIRST_PAUSE_MS), LONGEST_PAUSE_MS)
      notBeforeMs = clock.steadyMs() + Math.max(pauseMs, answer.retryAfterMs ?? 0)
      log.warn(`no token from the service: ${answer.why}`)
      return saysNo(answer) ? 'refused' : 'failed'
    }
    pauseMs = 0
    notBeforeMs = Number.NEGATIVE_INFINITY
    await keep(given)
    return 'ready'
  }

  return {
    canJoin: bootstrapToken !== undefined,
    current: () => held?.token,
    peek: async () => (held ?? (await store.load()))?.token,
    isJoining: () => held?.kind === 'joining',
    async obtain() {
      held ??= await store.load().catch((error: Error) => {
        log.warn(`cannot read the kept token: ${error.message}`)
        return undefined
      })
      return held ? 'ready' : ask(bootstrapToken)
    },
    bind: () => (held?.kind === 'node' ? Promise.resolve('ready') : ask(held?.token)),
    isRenewalDue: () => held?.kind === 'node' && isPastDue(held, clock, heldSinceMs),
    renew: () => ask(held?.token),
    async rejected(used) {
      if (held && held.token !== used) return true
      if (!bootstrapToken) {
        log.warn('the service refuses our token and there is no bootstrap token to join again with')
        return false
      }
      return (await ask(bootstrapToken)) === 'ready'
    },
    async forget() {
      notBeforeMs = Number.NEGATIVE_INFINITY
      await keep(undefined)
    },
  }
}

/**
 * By whichever clock says that more time has passed. A wall clock from before the token was issued
 * has been set back since, and says nothing about its age: better a token too many than a dead one.
 */
function isPastDue({ issuedAtMs, expiresAtMs }: HeldToken, clock: Clock, sinceMs: number): boolean {
  const dueMs = (expiresAtMs - issuedAtMs) * RENEW_AT
  const ageMs = clock.wallMs() - issuedAtMs
  return ageMs < 0 || Math.max(ageMs, clock.steadyMs() - sinceMs) >= dueMs
}

/** In the service's own words: a proxy or a gateway that says 403 speaks for nobody but itself. */
const saysNo = (answer: Answer) =>
  outcomeOf(answer) === 'forbidden' && statusOf(answer)?.reason === 'Forbidden'

function tokenRequest({ nodeName, machineProof }: JoinOptions) {
  const annotations = machineProof ? { [MACHINE_PROOF]: machineProof } : undefined
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

/**
 * Its life is counted from now by our own clock: a host whose clock is wrong must not renew all the
 * time.
 */
function givenToken(answer: Answer, nowMs: number): HeldToken | undefined {
  const { spec, status } = (answer.body ?? {}) as {
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

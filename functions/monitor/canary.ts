/**
 * Would a host's renewal succeed now? Every tick the monitor renews a lease of its own through the
 * public API, the way hosts do: DNS, certificate, token, authorization, table.
 */
import { randomUUID } from 'node:crypto'
import { groupNames } from '../../shared/auth/subject.ts'
import { defaultIssuerAudience, lifetimeSeconds } from '../../shared/auth/tokens/claims.ts'
import { type SignedToken, type Signer, signToken } from '../../shared/auth/tokens/signer.ts'
import { formatMicroTime } from '../../shared/kube/time.ts'
import { CANARY_LEASE } from '../../shared/lifecycle/record-names.ts'
import type { Canary } from './deps.ts'

const PATH = `/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/${CANARY_LEASE}`
const DURATION_SECONDS = 60
/** Hosts give up after about as long, so a renewal that takes longer has failed. */
const TIMEOUT_MS = 3_000
const RENEW_TOKEN_MS = 10 * 60_000

export type CanaryFetch = (
  url: string,
  init: RequestInit,
) => Promise<Pick<Response, 'status' | 'text'>>

interface CanaryOptions {
  /** `https://…`, where hosts connect. */
  readonly server: string
  readonly fetch: CanaryFetch
  readonly token: (nowMs: number) => Promise<string>
}

export function createCanary({ server, fetch, token }: CanaryOptions): Canary {
  const url = new URL(PATH, server).href
  return async (nowMs) => {
    const authorization = `Bearer ${await token(nowMs)}`
    const spec = {
      holderIdentity: CANARY_LEASE,
      leaseDurationSeconds: DURATION_SECONDS,
      renewTime: formatMicroTime(nowMs * 1_000),
    }
    const send = async (method: string, type: string, body: object) => {
      const headers = { authorization, 'content-type': type, accept: 'application/json' }
      const signal = AbortSignal.timeout(TIMEOUT_MS)
      const answer = await fetch(url, { method, headers, body: JSON.stringify(body), signal })
      // Read to the end, so that the connection can be used again.
      return { status: answer.status, text: await answer.text() }
    }
    let answer = await send('PATCH', 'application/merge-patch+json', { spec })
    if (answer.status === 404) answer = await send('PUT', 'application/json', leaseOf(spec))
    if (answer.status === 200 || answer.status === 201) return
    throw new Error(`the canary's beat was answered with ${answer.status}: ${brief(answer.text)}`)
  }
}

/** A PUT creates what is missing, which is all the canary's token may do besides renewing. */
const leaseOf = (spec: object) => ({
  apiVersion: 'coordination.k8s.io/v1',
  kind: 'Lease',
  metadata: { name: CANARY_LEASE, namespace: 'kube-system' },
  spec,
})

const brief = (text: string) => text.slice(0, 200)

/** Signs a new one when the last is about to expire. */
export function canaryTokens(signer: () => Promise<Signer>): (nowMs: number) => Promise<string> {
  let last: SignedToken | undefined
  return async (nowMs) => {
    if (last && nowMs < last.expiresAtMs - RENEW_TOKEN_MS) return last.token
    last = await signToken(await signer(), {
      ...defaultIssuerAudience,
      user: groupNames.canary,
      groups: [groupNames.canary],
      lifetimeSeconds: lifetimeSeconds.canary,
      tokenId: randomUUID(),
      nowMs,
    })
    return last.token
  }
}

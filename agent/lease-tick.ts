/**
 * How is one beat brought home? The kubelet's lease controller as a coroutine: it yields the next
 * request, is given the answer, and returns the lease to remember. No clock, no network: whoever
 * runs it has both.
 *
 * A remembered lease is PUT at once, up to five times. If that fails, or nothing is remembered:
 * GET; missing -> POST; there -> PUT as before. Making sure that it exists is tried for ever, with
 * growing waits.
 */
import type { Lease } from '../shared/kube/objects.ts'
import { hasOwner, type NodeRef } from './lease-content.ts'

export const PUT_ATTEMPTS = 5
const FIRST_WAIT_MS = 200
const LONGEST_WAIT_MS = 7_000

export type Step =
  | { readonly kind: 'put' | 'post'; readonly base: Lease | undefined; readonly node?: NodeRef }
  | { readonly kind: 'get' }
  | { readonly kind: 'getNode' }
  | { readonly kind: 'wait'; readonly waitMs: number }
  /** Beating failed more than once: the pooled connections may be dead, so drop them. */
  | { readonly kind: 'freshConnection' }

export type StepAnswer =
  | { readonly kind: 'lease'; readonly lease: Lease }
  | { readonly kind: 'node'; readonly node: NodeRef }
  | { readonly kind: 'conflict' | 'notFound' | 'done' }
  | { readonly kind: 'error'; readonly retryAfterMs?: number }

export interface TickResult {
  /** What to send next time; absent when the lease could not be made. */
  readonly remembered: Lease | undefined
  readonly outcome: 'beaten' | 'failed' | 'heldByAnother' | 'nodeMissing'
}

type Tick<T> = Generator<Step, T, StepAnswer>

/** Ensure-lease back-off: 0.2, 0.4 ... 6.4, 7, 7 s. */
export const ensureWaitMs = (failures: number): number =>
  Math.min(FIRST_WAIT_MS * 2 ** (failures - 1), LONGEST_WAIT_MS)

export function* leaseTick(remembered: Lease | undefined, holder: string): Tick<TickResult> {
  if (remembered) {
    const first = yield* putUntilAccepted(remembered, holder)
    if (first.outcome === 'beaten' || first.outcome === 'heldByAnother') return first
  }
  const ensured = yield* ensureLease()
  if (!ensured.lease) return { remembered: undefined, outcome: 'nodeMissing' }
  // A lease just made carries this moment already.
  if (ensured.created) return { remembered: ensured.lease, outcome: 'beaten' }
  return yield* putUntilAccepted(ensured.lease, holder)
}

export function* putUntilAccepted(start: Lease, holder: string): Tick<TickResult> {
  let base: Lease | undefined = start
  for (let attempt = 0; attempt < PUT_ATTEMPTS; attempt++) {
    const answer = yield* putOnce(base)
    if (answer.kind === 'lease') return { remembered: answer.lease, outcome: 'beaten' }
    if (answer.kind === 'conflict') {
      base = (yield* ensureLease()).lease
      // Another machine beats under this name; the server's clock says when that ends, not our
      // insistence.
      if (heldByAnother(base, holder)) return { remembered: base, outcome: 'heldByAnother' }
      continue
    }
    if (attempt > 0) yield { kind: 'freshConnection' }
    const pauseMs = answer.kind === 'error' ? (answer.retryAfterMs ?? 0) : 0
    if (pauseMs > 0) yield { kind: 'wait', waitMs: pauseMs }
  }
  return { remembered: start, outcome: 'failed' }
}

/** Not sent at all while the owner is missing and the Node cannot be read. */
function* putOnce(base: Lease | undefined): Tick<StepAnswer> {
  if (hasOwner(base)) return yield { kind: 'put', base }
  const found = yield { kind: 'getNode' }
  if (found.kind !== 'node') return { kind: 'error' }
  return yield { kind: 'put', base, node: found.node }
}

interface Ensured {
  readonly lease: Lease | undefined
  readonly created: boolean
}

function* ensureLease(): Tick<Ensured> {
  for (let failures = 1; ; failures++) {
    const found = yield { kind: 'get' }
    if (found.kind === 'lease') return { lease: found.lease, created: false }
    let failed: StepAnswer = found
    if (found.kind === 'notFound') {
      const owner = yield { kind: 'getNode' }
      // Ends quietly: without its Node a host has nothing to beat for.
      if (owner.kind !== 'node') return { lease: undefined, created: false }
      const made = yield { kind: 'post', base: undefined, node: owner.node }
      if (made.kind === 'lease') return { lease: made.lease, created: true }
      failed = made
    }
    const askedMs = failed.kind === 'error' ? (failed.retryAfterMs ?? 0) : 0
    yield { kind: 'wait', waitMs: Math.max(ensureWaitMs(failures), askedMs) }
  }
}

function heldByAnother(lease: Lease | undefined, holder: string): boolean {
  const current = lease?.spec?.holderIdentity
  return current !== undefined && current !== '' && current !== holder
}

/**
 * How is one beat sent? The sync of the kubelet's lease controller, as a coroutine without clock or
 * network: it yields the next step, is given its result, and returns the lease to remember.
 * `controller.ts` takes the steps.
 *
 * A remembered lease is PUT at once, up to five times. If that fails, or nothing is remembered:
 * GET; missing -> POST; there -> PUT as before. Ensuring that the lease exists is retried for ever,
 * with growing waits.
 */
import type { Lease } from '../../shared/kube/objects.ts'
import { hasOwner, type NodeRef } from './new-lease.ts'

const PUT_ATTEMPTS = 5
const FIRST_WAIT_MS = 200
const LONGEST_WAIT_MS = 7_000

export type SyncStep =
  | { readonly kind: 'put' | 'post'; readonly base: Lease | undefined; readonly node?: NodeRef }
  | { readonly kind: 'get' }
  | { readonly kind: 'getNode' }
  | { readonly kind: 'wait'; readonly waitMs: number }
  /** The PUT failed more than once: the pooled connections may be dead, so drop them. */
  | { readonly kind: 'freshConnection' }

export type SyncStepResult =
  | { readonly kind: 'lease'; readonly lease: Lease }
  | { readonly kind: 'node'; readonly node: NodeRef }
  | { readonly kind: 'conflict' | 'notFound' | 'done' }
  | { readonly kind: 'error'; readonly retryAfterMs?: number }

export interface SyncResult {
  /** What to send next time; absent when the lease could not be made. */
  readonly remembered: Lease | undefined
  readonly outcome: 'renewed' | 'failed' | 'heldByAnother' | 'nodeMissing'
}

type Sync<T> = Generator<SyncStep, T, SyncStepResult>

/** Ensure-lease back-off: 0.2, 0.4 ... 6.4, 7, 7 s. */
const ensureWaitMs = (failures: number): number =>
  Math.min(FIRST_WAIT_MS * 2 ** (failures - 1), LONGEST_WAIT_MS)

export function* syncLease(remembered: Lease | undefined, holder: string): Sync<SyncResult> {
  if (remembered) {
    const first = yield* retryUpdateLease(remembered, holder)
    if (first.outcome === 'renewed' || first.outcome === 'heldByAnother') return first
  }
  const ensured = yield* backoffEnsureLease()
  if (!ensured.lease) return { remembered: undefined, outcome: 'nodeMissing' }
  // A lease that was just created already carries this renewTime.
  if (ensured.created) return { remembered: ensured.lease, outcome: 'renewed' }
  return yield* retryUpdateLease(ensured.lease, holder)
}

export function* retryUpdateLease(start: Lease, holder: string): Sync<SyncResult> {
  let base: Lease | undefined = start
  for (let attempt = 0; attempt < PUT_ATTEMPTS; attempt++) {
    const result = yield* putOnce(base)
    if (result.kind === 'lease') return { remembered: result.lease, outcome: 'renewed' }
    if (result.kind === 'conflict') {
      base = (yield* backoffEnsureLease()).lease
      // Another machine renews under this name. Repeating the PUT does not help: the service
      // rejects it until that machine's lease has run out.
      if (heldByAnother(base, holder)) return { remembered: base, outcome: 'heldByAnother' }
      continue
    }
    if (attempt > 0) yield { kind: 'freshConnection' }
    const pauseMs = result.kind === 'error' ? (result.retryAfterMs ?? 0) : 0
    if (pauseMs > 0) yield { kind: 'wait', waitMs: pauseMs }
  }
  return { remembered: start, outcome: 'failed' }
}

/** Not sent at all while the owner is missing and the Node cannot be read. */
function* putOnce(base: Lease | undefined): Sync<SyncStepResult> {
  if (hasOwner(base)) return yield { kind: 'put', base }
  const found = yield { kind: 'getNode' }
  if (found.kind !== 'node') return { kind: 'error' }
  return yield { kind: 'put', base, node: found.node }
}

interface Ensured {
  readonly lease: Lease | undefined
  readonly created: boolean
}

function* backoffEnsureLease(): Sync<Ensured> {
  for (let failures = 1; ; failures++) {
    const found = yield { kind: 'get' }
    if (found.kind === 'lease') return { lease: found.lease, created: false }
    let failed: SyncStepResult = found
    if (found.kind === 'notFound') {
      const owner = yield { kind: 'getNode' }
      // Ends the sync: without its Node a host has no lease to renew.
      if (owner.kind !== 'node') return { lease: undefined, created: false }
      const created = yield { kind: 'post', base: undefined, node: owner.node }
      if (created.kind === 'lease') return { lease: created.lease, created: true }
      failed = created
    }
    const askedMs = failed.kind === 'error' ? (failed.retryAfterMs ?? 0) : 0
    yield { kind: 'wait', waitMs: Math.max(ensureWaitMs(failures), askedMs) }
  }
}

function heldByAnother(lease: Lease | undefined, holder: string): boolean {
  const current = lease?.spec?.holderIdentity
  return current !== undefined && current !== '' && current !== holder
}

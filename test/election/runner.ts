/** Runs an election: the loops around `elector.ts`, with clock and client handed in. */

import type { Lease } from '../../shared/kube/objects.ts'
import {
  acquireWaitMs,
  attempt,
  type Belief,
  type Callbacks,
  type ElectorConfig,
  isLeading,
  leaderIn,
  lockTimeoutMs,
  type Now,
  type Reply,
  type Request,
  refuse,
  release,
} from './elector.ts'

export type ElectorAnswer =
  | { readonly kind: 'lease'; readonly lease: Lease }
  | { readonly kind: 'notFound' | 'conflict' | 'error' }

export interface ElectorClient {
  /** Never throws for what the net does: that is `error`. */
  send(request: Request, timeoutMs: number): Promise<ElectorAnswer>
}

export interface ElectorClock {
  now(): Now
  /** Resolves early when the signal fires. */
  wait(waitMs: number, signal?: AbortSignal): Promise<void>
  random(): number
}

export interface Election {
  readonly config: ElectorConfig
  readonly client: ElectorClient
  readonly clock: ElectorClock
  readonly callbacks: Callbacks
  /** Give the lease back on the way out, so the next candidate need not wait it out. */
  readonly releaseOnCancel: boolean
  readonly signal: AbortSignal
}

/** Ends when it is cancelled or has led and lost. */
export async function runElector(election: Election): Promise<void> {
  const { config, callbacks, signal } = election
  const refused = refuse(config, callbacks)
  if (refused) throw new Error(`leader election: ${refused}`)
  const watched = { belief: {} as Belief, reported: undefined as string | undefined }
  const leading = new AbortController()
  try {
    if (!(await acquire(election, watched))) return
    callbacks.startedLeading(watched.belief.record?.leaderTransitions ?? 0, leading.signal)
    while (!signal.aborted && (await renewRound(election, watched))) {
      await election.clock.wait(config.retryPeriodMs, signal)
    }
  } finally {
    leading.abort()
    callbacks.stoppedLeading()
    if (election.releaseOnCancel) await giveBack(election, watched)
  }
}

interface Watched {
  belief: Belief
  reported: string | undefined
}

async function acquire(election: Election, watched: Watched): Promise<boolean> {
  const { config, clock, signal } = election
  while (!signal.aborted) {
    if (await tryOnce(election, watched)) return true
    await clock.wait(acquireWaitMs(config.retryPeriodMs, clock.random()), signal)
  }
  return false
}

/** True once renewed; false when the deadline has passed or the lease is seen in other hands. */
async function renewRound(election: Election, watched: Watched): Promise<boolean> {
  const { config, clock, signal } = election
  const deadlineMs = clock.now().steadyMs + config.renewDeadlineMs
  const leftMs = () => deadlineMs - clock.now().steadyMs
  while (!signal.aborted && leftMs() > 0) {
    const over = new AbortController()
    const late = clock.wait(leftMs(), over.signal).then(() => false)
    // A request that hangs must not carry us past the moment we promised to stop.
    const renewed = await Promise.race([tryOnce(election, watched), late])
    over.abort()
    if (renewed) return true
    await clock.wait(Math.min(config.retryPeriodMs, Math.max(leftMs(), 0)), signal)
  }
  return false
}

async function tryOnce(election: Election, watched: Watched): Promise<boolean> {
  const { config, clock } = election
  const result = await play(election, attempt(watched.belief, config, clock.now()))
  watched.belief = result.belief
  report(election, watched)
  return result.succeeded
}

async function giveBack(election: Election, watched: Watched): Promise<void> {
  const { config, clock } = election
  if (!isLeading(watched.belief, config.identity)) return
  // On its own time: the caller's cancellation is why we are here.
  const deadlineMs = clock.now().steadyMs + config.renewDeadlineMs
  while (clock.now().steadyMs < deadlineMs) {
    const result = await play(election, release(watched.belief, config, clock.now()))
    watched.belief = result.belief
    report(election, watched)
    if (!result.retry) return
    await clock.wait(config.retryPeriodMs / 10)
  }
}

function report({ callbacks }: Election, watched: Watched): void {
  const leader = leaderIn(watched.belief)
  if (leader === undefined || leader === watched.reported) return
  watched.reported = leader
  callbacks.newLeader?.(leader)
}

async function play<T>(
  { client, clock, config }: Election,
  steps: Generator<Request, T, Reply>,
): Promise<T> {
  const timeoutMs = lockTimeoutMs(config.renewDeadlineMs)
  let next = steps.next()
  while (!next.done) {
    const answer = await client.send(next.value, timeoutMs)
    next = steps.next({ ...answer, atMs: clock.now().steadyMs })
  }
  return next.value
}

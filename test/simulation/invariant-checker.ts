/**
 * Holds every write and every few seconds against all invariants, and remembers the first that
 * broke.
 */
import type { Availabilities } from './availability.ts'
import { answersAreTrue, type OnAnswer } from './invariants/answers.ts'
import { heartbeatsCount } from './invariants/beats.ts'
import { silenceIsDetected } from './invariants/detection.ts'
import { disruptionEvictsNone } from './invariants/disruption.ts'
import { transitionsAreAnnounced } from './invariants/events.ts'
import { evictionRateIsKept } from './invariants/eviction-rate.ts'
import { healingWorks, holdsHold } from './invariants/holds.ts'
import { Broken, type Invariant } from './invariants/invariant.ts'
import { leasesFence } from './invariants/leases.ts'
import { noWriteIsLost } from './invariants/lost-writes.ts'
import type { Write } from './observed-store.ts'
import { learn, type Truth } from './truth.ts'

export interface InvariantChecker {
  readonly broken: { readonly why: string; readonly atMs: number } | undefined
  /** After it broke nothing more is checked: what follows rests on a world that is wrong. */
  readonly onWrite: (write: Write) => void
  readonly onCheck: () => void
  /** A program that competes for locks has its answer to a write. */
  readonly onAnswer: OnAnswer
}

export function checkInvariants(
  truth: Truth,
  availability: Availabilities,
  nowMs: () => number,
): InvariantChecker {
  let broken: InvariantChecker['broken']
  const answers = answersAreTrue()
  const invariants: readonly Invariant[] = [
    heartbeatsCount,
    silenceIsDetected(availability.seeing),
    evictionRateIsKept(),
    disruptionEvictsNone(availability.seeing),
    transitionsAreAnnounced(),
    leasesFence(),
    noWriteIsLost,
    holdsHold,
    healingWorks(availability.running),
    answers,
  ]
  const guarded = (check: () => void) => {
    try {
      if (!broken) check()
    } catch (error) {
      // A check that throws must not do so inside the process under test, which would go on.
      const why =
        error instanceof Broken ? error.message : `the check failed: ${(error as Error).stack}`
      broken = { why, atMs: nowMs() }
    }
  }
  return {
    get broken() {
      return broken
    },
    onWrite: (write) =>
      guarded(() => {
        for (const { onWrite } of invariants) onWrite?.(truth, write)
        learn(truth, write)
      }),
    onAnswer: (renewTime, status) => guarded(() => answers.onAnswer(renewTime, status)),
    onCheck: () =>
      guarded(() => {
        for (const { onCheck } of invariants) onCheck?.(truth, nowMs())
      }),
  }
}

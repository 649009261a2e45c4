/**
 * Holds every write and every few seconds against all invariants, and remembers the first that
 * broke.
 */
import type { Abilities } from './ability.ts'
import { beatsCount } from './invariants/beats.ts'
import { disruptionSpares } from './invariants/disruption.ts'
import { healingWorks, holdsHold } from './invariants/holds.ts'
import { Broken, type Invariant } from './invariants/invariant.ts'
import { everythingIsKept } from './invariants/keeping.ts'
import { leasesFence } from './invariants/leases.ts'
import { everythingIsTold } from './invariants/news.ts'
import { paceIsKept } from './invariants/pace.ts'
import { silenceIsSeen } from './invariants/silence.ts'
import type { Write } from './observed-store.ts'
import { learn, type Truth } from './truth.ts'

export interface Judge {
  readonly broken: { readonly why: string; readonly atMs: number } | undefined
  /** After it broke nothing more is judged: what follows rests on a world that is wrong. */
  readonly onWrite: (write: Write) => void
  readonly onLook: () => void
}

export function appointJudge(truth: Truth, able: Abilities, nowMs: () => number): Judge {
  let broken: Judge['broken']
  const invariants: readonly Invariant[] = [
    beatsCount,
    silenceIsSeen(able.seeing),
    paceIsKept(),
    disruptionSpares(able.seeing),
    everythingIsTold(),
    leasesFence(),
    everythingIsKept,
    holdsHold,
    healingWorks(able.running),
  ]
  const guarded = (look: () => void) => {
    try {
      if (!broken) look()
    } catch (error) {
      // A judge that stumbles must not do so inside the process it watches, which would go on.
      const why =
        error instanceof Broken ? error.message : `the judge failed: ${(error as Error).stack}`
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
    onLook: () =>
      guarded(() => {
        for (const { onLook } of invariants) onLook?.(truth, nowMs())
      }),
  }
}

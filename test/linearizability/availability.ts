/** How long was there no answer after each kill, and where did that time go? */
import type { Entry } from './history.ts'
import type { DoneFault } from './nemesis.ts'

export interface Outage {
  readonly kind: DoneFault['fault']['kind']
  readonly startedUs: number
  /** Until what was killed ran again. */
  readonly restartMs: number
  /** Until the first call that was made after the kill had its answer. */
  readonly silentMs: number
}

/** Outages after which no call was answered at all are left out: then the run was over. */
export function outages(
  entries: readonly Entry[],
  faults: readonly DoneFault[],
): readonly Outage[] {
  const answered = entries.filter(isAnswered).toSorted((a, b) => a.returnedUs - b.returnedUs)
  return faults
    .filter(({ fault }) => fault.kind.startsWith('kill'))
    .flatMap(({ fault, startedUs, endedUs }) => {
      const first = answered.find(({ invokedUs }) => invokedUs >= startedUs)
      if (!first) return []
      const restartMs = (endedUs - startedUs) / 1_000
      const silentMs = (first.returnedUs - startedUs) / 1_000
      return [{ kind: fault.kind, startedUs, restartMs, silentMs }]
    })
}

/** A refusal that says something about the object is an answer; "try again later" is none. */
export const isAnswered = ({ outcome, why }: Entry) =>
  outcome === 'ok' || (outcome === 'refused' && why !== 'busy')

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? 0
}

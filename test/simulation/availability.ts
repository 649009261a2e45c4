/**
 * When could a monitor run, and when could it see? The world knows, because it does the harm
 * itself.
 */
import type { Availability } from './invariants/detection.ts'

export interface Availabilities {
  /** Could some monitor run? */
  readonly running: Availability
  /** Could it run and see? */
  readonly seeing: Availability
  readonly disturb: (what: 'running' | 'seeing', untilMs: number) => void
}

interface Span {
  fromMs: number
  untilMs: number
}

export function availabilities(nowMs: () => number, recoveryMs: number): Availabilities {
  const running = stretches(nowMs)
  const seeing = stretches(nowMs)
  return {
    running,
    seeing,
    disturb(what, untilMs) {
      seeing.add(untilMs + recoveryMs)
      if (what === 'running') running.add(untilMs + recoveryMs)
    },
  }
}

/** Stretches of harm, in order and apart. */
function stretches(nowMs: () => number): Availability & { add(untilMs: number): void } {
  const spans: Span[] = []
  return {
    add(untilMs) {
      const last = spans.at(-1)
      if (last && nowMs() <= last.untilMs) last.untilMs = Math.max(last.untilMs, untilMs)
      else spans.push({ fromMs: nowMs(), untilMs })
    },
    availableMs(sinceMs) {
      let availableMs = nowMs() - sinceMs
      for (let at = spans.length - 1; at >= 0 && spans[at]!.untilMs > sinceMs; at -= 1) {
        const { fromMs, untilMs } = spans[at]!
        availableMs -= Math.max(0, Math.min(untilMs, nowMs()) - Math.max(fromMs, sinceMs))
      }
      return availableMs
    },
  }
}

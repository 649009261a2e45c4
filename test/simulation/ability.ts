/**
 * When could a monitor run, and when could it see? The world knows, because it does the harm
 * itself.
 */
import type { Ability } from './invariants/silence.ts'

export interface Abilities {
  /** Could some monitor run? */
  readonly running: Ability
  /** Could it run and see? */
  readonly seeing: Ability
  readonly disturb: (what: 'running' | 'seeing', untilMs: number) => void
}

interface Span {
  fromMs: number
  untilMs: number
}

export function abilities(nowMs: () => number, recoveryMs: number): Abilities {
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
function stretches(nowMs: () => number): Ability & { add(untilMs: number): void } {
  const spans: Span[] = []
  return {
    add(untilMs) {
      const last = spans.at(-1)
      if (last && nowMs() <= last.untilMs) last.untilMs = Math.max(last.untilMs, untilMs)
      else spans.push({ fromMs: nowMs(), untilMs })
    },
    ableMs(sinceMs) {
      let ableMs = nowMs() - sinceMs
      for (let at = spans.length - 1; at >= 0 && spans[at]!.untilMs > sinceMs; at -= 1) {
        const { fromMs, untilMs } = spans[at]!
        ableMs -= Math.max(0, Math.min(untilMs, nowMs()) - Math.max(fromMs, sinceMs))
      }
      return ableMs
    },
  }
}

/** The agent's two clocks on virtual time: the wall clock can be set, the steady one cannot. */
import type { AgentClock } from '../../agent/clock.ts'
import { virtualTime } from '../virtual-time.ts'

export interface FakeClock extends AgentClock {
  advance(byMs: number): Promise<void>
  /** Sets the wall clock without any time passing. */
  jumpWall(byMs: number): void
  sleepers(): number
}

const START_MS = Date.UTC(2026, 0, 2, 3, 4, 5)

export function fakeClock(random: () => number = () => 0): FakeClock {
  const time = virtualTime(0)
  let wallOffsetMs = START_MS
  return {
    wallMs: () => time.now() + wallOffsetMs,
    steadyMs: time.now,
    random,
    sleepers: time.pending,
    jumpWall: (byMs) => {
      wallOffsetMs += byMs
    },
    wait: time.sleep,
    advance: time.advance,
  }
}

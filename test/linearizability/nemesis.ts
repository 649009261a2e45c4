/**
 * The faults of a run, drawn from its seed, and how they are done. Two hands work side by side: one
 * on the processes, one on the network between api and database; each does one fault at a time.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { type Rng, rngOf } from '../simulation/rng.ts'
import type { AnswerFault } from './database-proxy.ts'
import type { SystemUnderTest } from './system.ts'

export type Fault =
  | { readonly kind: 'kill server' | 'kill database' | 'kill both' | 'cut connections' }
  | { readonly kind: 'stop server'; readonly forMs: number }
  | {
      readonly kind: 'lose answers' | 'delay answers'
      readonly forMs: number
      readonly share: number
      readonly answer: AnswerFault
    }

export type PlannedFault = Fault & { readonly atMs: number }

/** A fault as it was done. */
export interface DoneFault {
  readonly fault: Fault
  readonly startedUs: number
  readonly endedUs: number
}

export interface FaultCounts {
  /** Of server, database, or both. */
  readonly kills: number
  /** Windows in which answers are lost or delayed. */
  readonly lost: number
}

export interface FaultPlan {
  readonly processes: readonly PlannedFault[]
  readonly network: readonly PlannedFault[]
}

/** No fault begins so early that the clients have no objects, nor so late that none sees its end. */
const EARLIEST_MS = 1_500
export const QUIET_END_MS = 4_000
/** One stop and one cut for so many kills or windows. */
const OTHERS = 5

export function planFaults(seed: number, durationMs: number, counts: FaultCounts): FaultPlan {
  const rng = rngOf(seed, 'nemesis')
  const some = (of: number) => (of === 0 ? 0 : Math.ceil(of / OTHERS))
  const kills = Array.from({ length: counts.kills }, () => drawKill(rng))
  const stops = Array.from({ length: some(counts.kills) }, () => drawStop(rng))
  const windows = Array.from({ length: counts.lost }, () => drawWindow(rng))
  const cuts = Array.from(
    { length: some(counts.lost) },
    () => ({ kind: 'cut connections' }) as const,
  )
  return {
    processes: spread(rng, durationMs, [...kills, ...stops]),
    network: spread(rng, durationMs, [...windows, ...cuts]),
  }
}

/** In random order, each somewhere in its own slice of the run. */
function spread(rng: Rng, durationMs: number, faults: readonly Fault[]): readonly PlannedFault[] {
  const sliceMs = Math.max(0, durationMs - EARLIEST_MS - QUIET_END_MS) / Math.max(1, faults.length)
  const shuffled = faults
    .map((fault) => ({ fault, rank: rng.random() }))
    .toSorted((a, b) => a.rank - b.rank)
  return shuffled.map(({ fault }, at) => ({
    ...fault,
    atMs: Math.round(EARLIEST_MS + (at + rng.random() * 0.5) * sliceMs),
  }))
}

function drawKill(rng: Rng): Fault {
  const draw = rng.random()
  if (draw < 0.45) return { kind: 'kill server' }
  return { kind: draw < 0.9 ? 'kill database' : 'kill both' }
}

const drawStop = (rng: Rng): Fault => ({ kind: 'stop server', forMs: rng.whole(1_000, 8_000) })

/** Short: a long one would only make everybody wait, and the lie needs a rival who gets through. */
function drawWindow(rng: Rng): Fault {
  const window = { forMs: rng.whole(150, 900), share: rng.between(0.3, 0.9) }
  if (rng.chance(0.4)) {
    // The api gives up after two seconds.
    const answer = { kind: 'delay', delayMs: rng.whole(1_500, 5_000) } as const
    return { kind: 'delay answers', ...window, answer }
  }
  const answer = { kind: rng.pick(['swallow', 'reset', 'error'] as const) }
  return { kind: 'lose answers', ...window, answer }
}

interface Hand {
  readonly system: SystemUnderTest
  readonly rng: Rng
  readonly nowUs: () => number
  /** No fault begins after this. */
  readonly untilMs: number
  /** When the last call that was answered had been made. */
  readonly answeredUs: () => number
  readonly onDone: (done: DoneFault) => void
}

const ANSWERS_AGAIN_MS = 30_000
const POLL_MS = 20

/** One after the other; one that is late because the last took long is done at once, or not at all. */
export async function doFaults(plan: readonly PlannedFault[], hand: Hand): Promise<void> {
  for (const { atMs, ...fault } of plan) {
    await sleep(Math.max(0, atMs - hand.nowUs() / 1_000))
    const startedUs = hand.nowUs()
    if (startedUs / 1_000 > hand.untilMs) return
    await doFault(fault as Fault, hand)
    hand.onDone({ fault: fault as Fault, startedUs, endedUs: hand.nowUs() })
    if (fault.kind.startsWith('kill')) await answersSince(startedUs, hand)
  }
}

/** So that each outage is one kill's own. */
async function answersSince(startedUs: number, { nowUs, answeredUs }: Hand): Promise<void> {
  const untilUs = nowUs() + ANSWERS_AGAIN_MS * 1_000
  while (answeredUs() < startedUs && nowUs() < untilUs) await sleep(POLL_MS)
}

async function doFault(fault: Fault, { system, rng }: Hand): Promise<void> {
  switch (fault.kind) {
    case 'kill server':
      return await system.killServer()
    case 'kill database':
      return await system.killDatabase()
    case 'kill both':
      await Promise.all([system.killServer(), system.killDatabase()])
      return
    case 'stop server':
      return await system.stopServer(fault.forMs)
    case 'cut connections':
      return system.proxy.cut()
    default:
      system.proxy.arm(fault.answer, () => rng.chance(fault.share))
      await sleep(fault.forMs)
      system.proxy.arm(undefined)
  }
}

/** A monitor's life: take the turn, tick until somebody younger comes, hand over. */
import type { Tally } from './apply/tally.ts'
import { type Chores, openChores } from './chores/chores.ts'
import type { MonitorDeps } from './deps.ts'
import { workDue } from './due.ts'
import { claim, release, renew, type Turn } from './monitor-lease.ts'
import { openSession, type Session } from './session.ts'
import { type TickReport, tick } from './tick.ts'

export interface MonitorOptions {
  /** How this process is called in the lease. Default: a random one. */
  readonly identity?: string
  /** Default 13 minutes; Infinity for a process that does nothing else. */
  readonly lifetimeMs?: number
  /** With no nodes at all one tick is enough until the next start. Default true. */
  readonly endWhenEmpty?: boolean
}

export type End =
  /** Its time is up, or it was told to stop. */
  | 'ended'
  | 'aborted'
  /** There are no nodes. */
  | 'empty'
  /** A younger one took over, or had asked before us. */
  | 'handedOver'
  | 'superseded'
  | 'lost'
  | 'refused'

export interface Monitor {
  run(signal: AbortSignal): Promise<End>
}

export const LIFETIME_MS = 13 * 60_000

export function createMonitor(deps: MonitorDeps, options: MonitorOptions = {}): Monitor {
  return { run: (signal) => run(deps, options, signal) }
}

async function run(
  deps: MonitorDeps,
  { identity = deps.uuid(), lifetimeMs = LIFETIME_MS, endWhenEmpty = true }: MonitorOptions,
  signal: AbortSignal,
): Promise<End> {
  const turn: Turn = { identity, deps }
  const endAtMs = deps.clock() + lifetimeMs
  const claimed = await claim(turn, signal)
  if (claimed !== 'mine') return claimed

  const session = openSession(deps)
  const chores = openChores(session)
  try {
    return await live({ turn, session, chores, endAtMs, endWhenEmpty, signal })
  } finally {
    await quietly(deps, 'leave the metrics', () => chores.close())
    await quietly(deps, 'release the lease', () => release(turn))
  }
}

interface Life {
  readonly turn: Turn
  readonly session: Session
  readonly chores: Chores
  readonly endAtMs: number
  readonly endWhenEmpty: boolean
  readonly signal: AbortSignal
}

async function live(life: Life): Promise<End> {
  const { session, chores, signal } = life
  const { clock, sleep, settings } = session.deps
  for (;;) {
    const startedAtMs = clock()
    const report = await quietly(session.deps, 'finish a tick', () => tick(session))
    if (report) await chores.afterTick(report)
    else chores.failedTick()
    const end = await reasonToEnd(life, report)
    if (end) return end

    const nextAtMs = startedAtMs + settings.nodeMonitorPeriodMs
    if (report) await duesUntil(life, report, nextAtMs)
    const restMs = nextAtMs - clock()
    // Never without a breath: a tick that always fails at once must not spin.
    await sleep(Math.max(restMs, report ? 0 : RETRY_MS), signal)
    if (signal.aborted) return 'aborted'
  }
}

const RETRY_MS = 1_000

async function duesUntil({ session, chores, signal }: Life, report: TickReport, untilMs: number) {
  const onRound = (tally: Tally) => chores.afterRound(tally)
  await quietly(session.deps, 'work off a deadline', () =>
    workDue(session, report, untilMs, { signal, onRound }),
  )
}

async function reasonToEnd(life: Life, report: TickReport | undefined): Promise<End | undefined> {
  const { session, signal, endAtMs, endWhenEmpty, turn } = life
  const { clock, settings } = session.deps
  if (signal.aborted) return 'aborted'
  if (endWhenEmpty && report?.world.nodes.size === 0) return 'empty'
  if (clock() + settings.nodeMonitorPeriodMs > endAtMs) return 'ended'
  const renewed = await quietly(session.deps, 'renew the lease', () => renew(turn))
  if (renewed === 'asked') return 'handedOver'
  // Whether we still have it matters only for the bill: when nobody can say, go on.
  return renewed === 'lost' ? 'lost' : undefined
}

/** The store's troubles end no monitor: they are told, and the next tick tries again. */
async function quietly<T>(
  { log }: MonitorDeps,
  what: string,
  work: () => Promise<T>,
): Promise<T | undefined> {
  try {
    return await work()
  } catch (error) {
    log({ level: 'error', message: `could not ${what}; going on`, error })
    return undefined
  }
}

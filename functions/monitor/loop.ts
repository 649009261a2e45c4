/**
 * One run of a monitor: end at once where another has time left; else warm up, claim the lease, tick
 * until a younger monitor asks for it, release it.
 */
import type { ActionCounts } from './apply/context.ts'
import { type Chores, openChores } from './chores/chores.ts'
import { workDeadlines } from './deadlines.ts'
import type { MonitorDeps } from './deps.ts'
import {
  type Candidate,
  claimMonitorLease,
  hasYoungHolder,
  releaseMonitorLease,
  renewMonitorLease,
} from './monitor-lease.ts'
import { type MonitorSession, openSession } from './session.ts'
import { rehearseTick, type TickReport, tick } from './tick.ts'

export interface MonitorOptions {
  /** How this process is called in the lease. Default: a random one. */
  readonly identity?: string
  /** Default 13 minutes; Infinity for a process that does nothing else. */
  readonly lifetimeMs?: number
  /** With no nodes at all one tick is enough until the next start. Default true. */
  readonly endWhenEmpty?: boolean
}

type End =
  /** Its time is up, or it was aborted. */
  | 'ended'
  | 'aborted'
  /** There are no nodes. */
  | 'empty'
  /** Another monitor ticks and has time left. */
  | 'notNeeded'
  /** A younger monitor took over, or asked after us. */
  | 'handedOver'
  | 'superseded'
  | 'lost'
  | 'refused'

interface Monitor {
  run(signal: AbortSignal): Promise<End>
}

const LIFETIME_MS = 13 * 60_000

export function createMonitor(deps: MonitorDeps, options: MonitorOptions = {}): Monitor {
  return { run: (signal) => runMonitor(deps, options, signal) }
}

async function runMonitor(
  deps: MonitorDeps,
  { identity = deps.uuid(), lifetimeMs = LIFETIME_MS, endWhenEmpty = true }: MonitorOptions,
  signal: AbortSignal,
): Promise<End> {
  const candidate: Candidate = { identity, deps }
  const endAtMs = deps.clock() + lifetimeMs
  const found = await orLog(deps, 'look for another monitor', () =>
    hasYoungHolder(candidate, lifetimeMs),
  )
  if (found) return 'notNeeded'
  const session = openSession(deps)
  // Before the claim, while the other still ticks: a first tick that lists the fleet is a late one.
  await orLog(deps, 'warm up', () => rehearseTick(session))
  const claimed = await claimMonitorLease(candidate, signal)
  if (claimed !== 'mine') return claimed

  const chores = openChores(session)
  try {
    return await tickUntilEnd({ candidate, session, chores, endAtMs, endWhenEmpty, signal })
  } finally {
    await orLog(deps, 'leave the metrics', () => chores.close())
    await orLog(deps, 'release the lease', () => releaseMonitorLease(candidate))
  }
}

interface Run {
  readonly candidate: Candidate
  readonly session: MonitorSession
  readonly chores: Chores
  readonly endAtMs: number
  readonly endWhenEmpty: boolean
  readonly signal: AbortSignal
}

async function tickUntilEnd(run: Run): Promise<End> {
  const { session, chores, signal } = run
  const { clock, sleep, settings } = session.deps
  for (;;) {
    const startedAtMs = clock()
    const report = await orLog(session.deps, 'finish a tick', () => tick(session))
    if (report) await chores.afterTick(report)
    else chores.failedTick()
    const end = await reasonToEnd(run, report)
    if (end && end !== 'handedOver') return end

    const nextAtMs = startedAtMs + settings.nodeMonitorPeriodMs
    if (report) await deadlinesUntil(run, report, nextAtMs)
    const restMs = nextAtMs - clock()
    // A tick that always fails at once must not spin.
    await sleep(Math.max(restMs, report ? 0 : RETRY_MS), signal)
    if (signal.aborted) return 'aborted'
    // Released when the next tick is due: the successor's tick takes its place.
    if (end) return end
  }
}

const RETRY_MS = 1_000

async function deadlinesUntil(
  { session, chores, signal }: Run,
  report: TickReport,
  untilMs: number,
) {
  const onRound = (actionCounts: ActionCounts) => chores.afterRound(actionCounts)
  await orLog(session.deps, 'work off a deadline', () =>
    workDeadlines(session, report, untilMs, { signal, onRound }),
  )
}

async function reasonToEnd(run: Run, report: TickReport | undefined): Promise<End | undefined> {
  const { session, signal, endAtMs, endWhenEmpty, candidate } = run
  const { clock, settings } = session.deps
  if (signal.aborted) return 'aborted'
  if (endWhenEmpty && report?.world.nodes.size === 0) return 'empty'
  if (clock() + settings.nodeMonitorPeriodMs > endAtMs) return 'ended'
  const renewed = await orLog(session.deps, 'renew the lease', () => renewMonitorLease(candidate))
  if (renewed === 'asked') return 'handedOver'
  // Whether we still have it matters only for the bill: when the store cannot say, go on.
  return renewed === 'lost' ? 'lost' : undefined
}

/** A failing store ends no monitor: the failure is logged, and the next tick tries again. */
async function orLog<T>(
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

/** The schedule starts a run this often: see infra/constructs/monitor.ts. */
const STARTED_EVERY_MS = 60_000
/** For the tick it is in, and for handing over. */
const RESERVE_MS = 60_000

/** How long a run in Lambda ticks: once, when it is started as often as it ticks; waiting costs. */
export function lambdaLifetimeMs(periodMs: number, remainingMs: number): number {
  if (periodMs >= STARTED_EVERY_MS) return 0
  return Math.min(LIFETIME_MS, remainingMs - RESERVE_MS)
}

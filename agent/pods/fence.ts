/**
 * Must this host fence itself? A host that is cut off has to stop its pods before the service may
 * start them on another host. Silence is counted from *sending* the last accepted beat, by the
 * clock on which more time has passed: the steady one stands still while the machine sleeps, the
 * wall clock may be set back.
 */
import type { AgentClock } from '../clock.ts'
import type { AcceptedBeat } from '../lease/controller.ts'
import { type Log, onChange } from '../log.ts'
import type { PodSyncLoop } from './sync-loop.ts'

/** For the hook to do its work before the pods start elsewhere. */
const MARGIN_MS = 2_000
const CHECK_EVERY_MS = 500
/** After a fence hook that failed, so that a broken one does not load the machine. */
const RETRY_MS = 2_000

type SilenceLimits = Omit<AcceptedBeat, 'intervalMs'>

interface FenceNow {
  readonly steadyMs: number
  readonly wallMs: number
}

type FenceVerdict =
  | { readonly kind: 'safe'; readonly leftMs: number }
  | { readonly kind: 'fence'; readonly silentMs: number }

export function judgeFence(beat: SilenceLimits, now: FenceNow): FenceVerdict {
  const silentMs = Math.max(now.steadyMs - beat.sentSteadyMs, now.wallMs - beat.sentWallMs)
  const limitMs = Math.max(Math.min(beat.leaseDurationSeconds * 1_000, beat.graceMs) - MARGIN_MS, 0)
  if (silentMs >= limitMs) return { kind: 'fence', silentMs }
  return { kind: 'safe', leftMs: limitMs - silentMs }
}

interface FenceWatch {
  readonly clock: AgentClock
  readonly log: Log
  readonly pods: PodSyncLoop
  readonly signal: AbortSignal
  lastBeat(): AcceptedBeat | undefined
}

/** Polls instead of sleeping to the deadline: a timer stands still while the machine sleeps. */
export async function watchFence(watch: FenceWatch): Promise<void> {
  const { clock, log, pods, signal } = watch
  const once = onChange(log)
  while (!signal.aborted) {
    await clock.wait(CHECK_EVERY_MS, signal)
    const beat = watch.lastBeat()
    if (!beat || !pods.needsFence() || signal.aborted) continue
    const verdict = judgeFence(beat, { steadyMs: clock.steadyMs(), wallMs: clock.wallMs() })
    if (verdict.kind === 'safe') continue
    const silentSeconds = Math.round(verdict.silentMs / 1_000)
    if (!pods.isFenced()) log.warn(`cut off for ${silentSeconds} s: fencing this host`)
    await fenceNow(pods, once)
    if (pods.needsFence()) await clock.wait(RETRY_MS, signal)
  }
}

export async function fenceNow(pods: PodSyncLoop, log: Log): Promise<void> {
  const { ok, message } = await pods.fence()
  log.warn(ok ? `fenced: ${message}` : `NOT fenced, what runs may run elsewhere, too: ${message}`)
}

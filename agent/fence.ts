/**
 * Must this host fence itself? Before the service may give its work to another host, a host that
 * was cut off has to have stopped it. Counted from *sending* the last beat that was taken, by
 * whichever clock says that more time has passed: the steady one stands still while the machine
 * sleeps, the wall clock may be set back.
 */

/** For the hook to do its work before the other side moves. */
const MARGIN_MS = 2_000

export interface FenceFacts {
  readonly sentSteadyMs: number
  readonly sentWallMs: number
  readonly leaseDurationSeconds: number
  readonly graceMs: number
}

export interface FenceNow {
  readonly steadyMs: number
  readonly wallMs: number
}

export type FenceVerdict =
  | { readonly kind: 'safe'; readonly leftMs: number }
  | { readonly kind: 'fence'; readonly silentMs: number }

export function judgeFence(beat: FenceFacts, now: FenceNow): FenceVerdict {
  const silentMs = Math.max(now.steadyMs - beat.sentSteadyMs, now.wallMs - beat.sentWallMs)
  const limitMs = Math.max(Math.min(beat.leaseDurationSeconds * 1_000, beat.graceMs) - MARGIN_MS, 0)
  if (silentMs >= limitMs) return { kind: 'fence', silentMs }
  return { kind: 'safe', leftMs: limitMs - silentMs }
}

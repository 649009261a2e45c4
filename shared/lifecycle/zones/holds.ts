/**
 * What is held back, and why? Operators can pause evictions, and a monitor that cannot trust what
 * it sees holds back; healing is never held.
 */
import { canJudge, type DecisionDraft } from '../decision-draft.ts'
import { deadlineMs, maintenanceUntilMs, readyOf, refusedSinceSignMs } from '../liveness/health.ts'
import {
  endInterval,
  type Interval,
  mergeIntervals,
  openInterval,
  pausedMs,
  startInterval,
} from '../liveness/visibility.ts'
import type { HoldReason, KnownNode } from '../world.ts'

/** For people: what each reason means. */
export const holdMessages: Readonly<Record<HoldReason, string>> = {
  blind: 'The monitor cannot be sure that it sees everything; no clock runs meanwhile.',
  refused: 'The service itself refused beats of this host; its clock stands still meanwhile.',
  observe: 'The monitor is in observe mode: it decides and tells, and changes nothing.',
  fleetPaused: 'Evictions are paused for the whole fleet.',
  zonePaused: 'Evictions are paused for this zone.',
  maintenance: 'The node is in maintenance.',
  settling: 'The node became Unknown only just now.',
  fleetDisrupted: 'Every zone is down at once, so no pod is evicted.',
  zoneStopped: 'So much of this zone is down that evictions in it are stopped.',
  waitingForToken: 'The zone is evicted at a limited rate, and others come first.',
}

/** Records are read back as text; a reason of a newer version is shown as it is. */
export const holdMessage = (reasons: readonly string[]): string =>
  reasons.map((reason) => holdMessages[reason as HoldReason] ?? reason).join(' ')

/** Why no node of this zone may be tainted and no pod evicted now, if so. */
export function zoneHoldReason(draft: DecisionDraft, zone: string): HoldReason | undefined {
  if (!canJudge(draft)) return 'blind'
  if (openInterval(draft.fleet.stops)) return 'fleetPaused'
  const stops = draft.world.zones.get(zone)?.value.stops
  return stops && openInterval(stops) ? 'zonePaused' : undefined
}

/** The same for one node, which may be in maintenance, or be trying to come back. */
export function nodeHoldReason(
  draft: DecisionDraft,
  node: KnownNode,
  zone: string,
): HoldReason | undefined {
  const stop = zoneHoldReason(draft, zone)
  if (stop) return stop
  if (draft.nowMs < maintenanceUntilMs(node.object)) return 'maintenance'
  return draft.nowMs <= refusedUntilMs(draft, node) ? 'refused' : undefined
}

/**
 * Until when a node that is Unknown is left alone, because its host beats again and we refuse it; 0
 * when that is not so. What a host says of itself, and what a user taints, needs no beat.
 */
export function refusedUntilMs(draft: DecisionDraft, node: KnownNode): number {
  const { window, world, settings } = draft
  if (!window.refusals?.has(node.key.name) || readyOf(node.object)?.status !== 'Unknown') return 0
  const beat = world.beats.get(node.key.name)
  const isRefused = refusedSinceSignMs(node, beat, window) !== undefined
  return isRefused ? deadlineMs(node, beat, window, settings) : 0
}

/** The intervals that count neither towards settling nor towards an eviction in this zone. */
export function pausesOf(draft: DecisionDraft, zone: string): readonly Interval[] {
  const stops = draft.world.zones.get(zone)?.value.stops ?? []
  return mergeIntervals(draft.fleet.blind, draft.fleet.stops, stops)
}

/** The same as a measure: how much of a stretch counted neither way. */
export function pauseMeter(
  draft: DecisionDraft,
  zone: string,
): (fromMs: number, toMs: number) => number {
  const pauses = pausesOf(draft, zone)
  return (fromMs, toMs) => pausedMs(pauses, fromMs, toMs)
}

/**
 * The switch for people, on the record of a zone or of the fleet. The same record if it was on
 * already.
 */
export function pauseEvictions<T extends Stoppable>(record: T, why: string, nowMs: number): T {
  return withStops(record, startInterval(record.stops, nowMs, why))
}

export function resumeEvictions<T extends Stoppable>(record: T, nowMs: number): T {
  return withStops(record, endInterval(record.stops, nowMs))
}

interface Stoppable {
  readonly stops: readonly Interval[]
}

function withStops<T extends Stoppable>(record: T, stops: readonly Interval[]): T {
  return stops === record.stops ? record : { ...record, stops }
}

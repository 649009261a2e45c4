/**
 * What is held back, and why? People and the observer's own doubts can stop it; healing asks
 * nobody.
 */
import type { Node } from '../kube/objects.ts'
import {
  endInterval,
  type Interval,
  mergeIntervals,
  openInterval,
  pausedMs,
  startInterval,
} from './blindness.ts'
import { maintenanceUntilMs } from './health.ts'
import { isBlind, type Tick } from './tick.ts'
import type { HoldReason } from './world.ts'

/** For people: what each reason means. */
export const holdMessages: Readonly<Record<HoldReason, string>> = {
  blind: 'The monitor cannot be sure that it sees everything; no clock runs meanwhile.',
  observe: 'The monitor is in observe mode: it decides and tells, and changes nothing.',
  fleetPaused: 'Evictions are paused for the whole fleet.',
  zonePaused: 'Evictions are paused for this zone.',
  maintenance: 'The node is in maintenance.',
  settling: 'The node became Unknown only just now.',
  fleetDisrupted: 'Every zone is down at once, so nobody is evicted.',
  zoneStopped: 'So much of this zone is down that evictions in it are stopped.',
  waitingForToken: 'The zone is evicted at a limited rate, and others come first.',
}

/** Why nobody in this zone may be tainted or evicted now, if so. */
export function stopOf(tick: Tick, zone: string): HoldReason | undefined {
  if (isBlind(tick)) return 'blind'
  if (openInterval(tick.fleet.stops)) return 'fleetPaused'
  const stops = tick.world.zones.get(zone)?.value.stops
  return stops && openInterval(stops) ? 'zonePaused' : undefined
}

/** The same for one node, which may be in maintenance. */
export function nodeStopOf(tick: Tick, node: Node, zone: string): HoldReason | undefined {
  return stopOf(tick, zone) ?? (tick.nowMs < maintenanceUntilMs(node) ? 'maintenance' : undefined)
}

/** The stretches that count neither towards settling nor towards an eviction in this zone. */
export function pausesOf(tick: Tick, zone: string): readonly Interval[] {
  const stops = tick.world.zones.get(zone)?.value.stops ?? []
  return mergeIntervals(tick.fleet.blind, tick.fleet.stops, stops)
}

/** The same as a measure: how much of a stretch counted neither way. */
export function pauseMeter(tick: Tick, zone: string): (fromMs: number, toMs: number) => number {
  const pauses = pausesOf(tick, zone)
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

/**
 * Is this host still alive, and what do its conditions become when it is not? Judged from when its
 * signs of life arrived by the server's clock, never from its own.
 */

import { parseDurationMs } from '../../kube/duration.ts'
import type { Node, NodeCondition } from '../../kube/objects.ts'
import { parseTimeMs } from '../../kube/time.ts'
import type { Settings } from '../settings.ts'
import type { Beat, FleetRecord, KnownNode, World } from '../world.ts'
import { type Interval, observedDeadlineMs, type Refusals } from './visibility.ts'

/** From when silence is counted, and the intervals in which it is not. */
export interface ObservationWindow {
  readonly floorMs: number
  readonly blind: readonly Interval[]
  /** Absent: none. */
  readonly refusals?: Refusals
}

export const observationWindow = (
  { refusals }: Pick<World, 'refusals'>,
  { floorMs, blind }: FleetRecord,
): ObservationWindow => ({ floorMs, blind, ...(refusals && { refusals }) })

/** Ready is missing until a host first reports: then it has the longer grace of a start. */
export function graceOfMs(node: Node, settings: Settings): number {
  return readyOf(node) ? nodeGraceMs(node, settings) : settings.nodeStartupGracePeriodMs
}

export const GRACE_ANNOTATION = 'leasehold.dev/node-monitor-grace-period'
const MIN_NODE_GRACE_MS = 3_000
const MAX_NODE_GRACE_MS = 3_600_000

/**
 * A node's own grace. What cannot be read is ignored and what is out of bounds is brought within: a
 * typing error must neither condemn a host nor make it immortal.
 */
export function nodeGraceMs(node: Node, settings: Settings): number {
  const text = node.metadata.annotations?.[GRACE_ANNOTATION]
  if (text === undefined) return settings.nodeMonitorGracePeriodMs
  const ms = parseDurationMs(text)
  if (ms === undefined) return settings.nodeMonitorGracePeriodMs
  return Math.min(MAX_NODE_GRACE_MS, Math.max(MIN_NODE_GRACE_MS, ms))
}

/**
 * A lease owned by another uid belongs to an earlier node of that name and says nothing about this
 * one.
 */
export function isOwnBeat(node: KnownNode, beat: Beat | undefined): beat is Beat {
  return beat !== undefined && (beat.ownerUid === undefined || beat.ownerUid === node.uid)
}

/**
 * The last sign of life: a lease beat, a status beat, being created, or the end of a full
 * disruption.
 */
export function lastSignMs(node: KnownNode, beat: Beat | undefined, floorMs: number): number {
  const beatMs = isOwnBeat(node, beat) ? (beat.receivedAtMs ?? 0) : 0
  return Math.max(node.receivedAtMs ?? 0, beatMs, createdAtMs(node.object), floorMs)
}

/**
 * Silence after this instant is death; a beat exactly on it still counts. While a beat that we refused
 * is younger than the grace, the host's clock stands still: it did what a living host does.
 */
export function deadlineMs(
  node: KnownNode,
  beat: Beat | undefined,
  window: ObservationWindow,
  settings: Settings,
): number {
  const fromMs = refusedSinceSignMs(node, beat, window) ?? lastSignMs(node, beat, window.floorMs)
  return observedDeadlineMs(window.blind, fromMs, graceOfMs(node.object, settings))
}

/** When we last refused a beat of this host, unless one has come through since. */
export function refusedSinceSignMs(
  node: KnownNode,
  beat: Beat | undefined,
  { floorMs, refusals }: ObservationWindow,
): number | undefined {
  const refusedMs = refusals?.get(node.key.name)
  if (refusedMs === undefined) return undefined
  return refusedMs > lastSignMs(node, beat, floorMs) ? refusedMs : undefined
}

/** 0 for an object without a creation time: its beats alone decide. */
export function createdAtMs(node: Node): number {
  return parseTimeMs(node.metadata.creationTimestamp ?? '') ?? 0
}

/** The host released its lease and is cordoned: it left on purpose (see the agent's `--leave`). */
export function hasDeparted(node: Node, beat: Beat | undefined): boolean {
  return beat?.holderIdentity === '' && node.spec?.unschedulable === true
}

const MAINTENANCE_ANNOTATION = 'leasehold.dev/maintenance-until'

/** The end of the maintenance an operator announced, 0 when there is none. */
export function maintenanceUntilMs(node: Node): number {
  const text = node.metadata.annotations?.[MAINTENANCE_ANNOTATION]
  return text === undefined ? 0 : (parseTimeMs(text) ?? 0)
}

/** Those a silent host can no longer vouch for, in the order Kubernetes appends them. */
const VOUCHED = ['Ready', 'MemoryPressure', 'DiskPressure', 'PIDPressure'] as const

/** The first of its type wins. */
export function conditionOf(node: Node, type: string): NodeCondition | undefined {
  const conditions = node.status?.conditions
  if (!conditions) return undefined
  for (const condition of conditions) if (condition.type === type) return condition
  return undefined
}

export const readyOf = (node: Node): NodeCondition | undefined => conditionOf(node, 'Ready')

/**
 * The conditions of a host that went silent. What is Unknown already keeps its reason and times.
 */
export function unknownConditions(node: Node, now: string): readonly NodeCondition[] {
  const conditions = [...(node.status?.conditions ?? [])]
  for (const type of VOUCHED) {
    const at = conditions.findIndex((condition) => condition.type === type)
    const found = conditions[at]
    if (!found) conditions.push(neverReported(node, type, now))
    else if (found.status !== 'Unknown') conditions[at] = wentSilent(found, now)
  }
  return conditions
}

function neverReported(node: Node, type: string, now: string): NodeCondition {
  return {
    type,
    status: 'Unknown',
    reason: 'NodeStatusNeverUpdated',
    message: 'Kubelet never posted node status.',
    lastHeartbeatTime: node.metadata.creationTimestamp ?? null,
    lastTransitionTime: now,
  }
}

function wentSilent(condition: NodeCondition, now: string): NodeCondition {
  return {
    ...condition,
    status: 'Unknown',
    reason: 'NodeStatusUnknown',
    message: 'Kubelet stopped posting node status.',
    lastTransitionTime: now,
  }
}

/**
 * Did the monitor write this Unknown? Then its transition time is of our clock and may be compared.
 */
export function isDeclared(condition: NodeCondition): boolean {
  return condition.reason === 'NodeStatusUnknown' || condition.reason === 'NodeStatusNeverUpdated'
}

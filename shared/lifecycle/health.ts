/**
 * Is this host still alive? Judged from when its signs of life arrived by the server's clock, never
 * from its own.
 */
import type { Node } from '../kube/objects.ts'
import { parseTimeMs } from '../kube/time.ts'
import { type Interval, sightedDeadlineMs } from './blindness.ts'
import { readyOf } from './conditions.ts'
import { nodeGraceMs, type Settings } from './settings.ts'
import type { Beat, KnownNode } from './world.ts'

/** From where silence is counted, and through which list of unseen stretches. */
export interface Watch {
  readonly floorMs: number
  readonly blind: readonly Interval[]
}

/** Ready is missing until a host first reports: then it has the longer grace of a start. */
export function graceOfMs(node: Node, settings: Settings): number {
  return readyOf(node) ? nodeGraceMs(node, settings) : settings.nodeStartupGracePeriodMs
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

/** Silence after this instant is death; a beat exactly on it still counts. */
export function deadlineMs(
  node: KnownNode,
  beat: Beat | undefined,
  watch: Watch,
  settings: Settings,
): number {
  const signMs = lastSignMs(node, beat, watch.floorMs)
  return sightedDeadlineMs(watch.blind, signMs, graceOfMs(node.object, settings))
}

/** 0 for an object without a creation time: its beats alone decide. */
export function createdAtMs(node: Node): number {
  return parseTimeMs(node.metadata.creationTimestamp ?? '') ?? 0
}

/** The host released its lease and is cordoned: it left on purpose (see the agent's `--leave`). */
export function hasDeparted(node: Node, beat: Beat | undefined): boolean {
  return beat?.holderIdentity === '' && node.spec?.unschedulable === true
}

export const MAINTENANCE_ANNOTATION = 'leasehold.dev/maintenance-until'

/** The end of the maintenance an operator announced, 0 when there is none. */
export function maintenanceUntilMs(node: Node): number {
  const text = node.metadata.annotations?.[MAINTENANCE_ANNOTATION]
  return text === undefined ? 0 : (parseTimeMs(text) ?? 0)
}

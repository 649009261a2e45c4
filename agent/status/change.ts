/** Is there a status to report? When anything but the heartbeat times changed, or it is due. */
import { deepEqual } from '../../shared/kube/json.ts'
import type { NodeCondition, NodeStatus } from '../../shared/kube/objects.ts'
import { isSameQuantity } from '../machine/quantities.ts'

export function nodeStatusHasChanged(
  before: NodeStatus | undefined,
  after: NodeStatus | undefined,
): boolean {
  const { conditions: old, capacity, allocatable, ...rest } = before ?? {}
  const {
    conditions: now,
    capacity: newCapacity,
    allocatable: newAllocatable,
    ...newRest
  } = after ?? {}
  return (
    !deepEqual(comparable(old), comparable(now)) ||
    !sameResources(capacity, newCapacity) ||
    !sameResources(allocatable, newAllocatable) ||
    !deepEqual(withoutEmpty(rest), withoutEmpty(newRest))
  )
}

/** Conditions are a set by type, so their order does not count; that of other lists does. */
const comparable = (conditions: readonly NodeCondition[] = []) =>
  conditions
    .map(({ lastHeartbeatTime: _, ...rest }) => rest)
    .sort((a, b) => (a.type < b.type ? -1 : a.type > b.type ? 1 : 0))

function sameResources(a: NodeStatus['capacity'] = {}, b: NodeStatus['capacity'] = {}): boolean {
  const names = Object.keys(a)
  return (
    names.length === Object.keys(b).length &&
    names.every((name) => isSameQuantity(a[name] ?? '', b[name] ?? ''))
  )
}

/** Absent, null, empty list and empty map are one and the same on the wire. */
function withoutEmpty(value: unknown): unknown {
  if (Array.isArray(value)) return value.length === 0 ? undefined : value.map(withoutEmpty)
  if (typeof value !== 'object' || value === null) return value ?? undefined
  const kept = Object.entries(value)
    .map(([key, member]) => [key, withoutEmpty(member)] as const)
    .filter(([, member]) => member !== undefined)
  return kept.length === 0 ? undefined : Object.fromEntries(kept)
}

const REPORT_SPREAD = 0.5

export interface LastReport {
  readonly atMs?: number
  /** Added to the report frequency for the next report; may be negative. */
  readonly delayMs: number
}

export function isReportDue(last: LastReport, reportMs: number, nowMs: number): boolean {
  return last.atMs === undefined || nowMs - last.atMs >= reportMs + last.delayMs
}

/**
 * The report after a change or after the first one is moved by up to half a period, so that hosts
 * that changed together do not report together; a due report is followed by the plain period.
 */
export function reportDelayMs(
  reason: 'changed' | 'first' | 'due',
  reportMs: number,
  random: number,
): number {
  return reason === 'due' ? 0 : reportMs * (random - REPORT_SPREAD)
}

/** Is there anything to tell? Two statuses differ if anything but the heartbeat does. */
import { deepEqual } from '../shared/kube/equal.ts'
import type { Node, NodeCondition, NodeStatus } from '../shared/kube/objects.ts'
import { isSameQuantity } from './amounts.ts'

export function hasChanged(before: NodeStatus | undefined, after: NodeStatus | undefined): boolean {
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

/** Conditions are a set by type; other lists say something by their order. */
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

const PLATFORM_LABELS = ['kubernetes.io/os', 'kubernetes.io/arch'] as const

/** Somebody removed what selectors rely on: it goes back with the next report. */
export function withPlatformLabels(node: Node, os: string, arch: string): Node {
  const wanted = { 'kubernetes.io/os': os, 'kubernetes.io/arch': arch }
  const labels = node.metadata.labels
  if (PLATFORM_LABELS.every((key) => labels?.[key] === wanted[key])) return node
  return { ...node, metadata: { ...node.metadata, labels: { ...labels, ...wanted } } }
}

const REPORT_SPREAD = 0.5

export interface LastReport {
  readonly atMs?: number
  readonly shiftMs: number
}

export function isDue(last: LastReport, reportMs: number, nowMs: number): boolean {
  return last.atMs === undefined || nowMs - last.atMs >= reportMs + last.shiftMs
}

/**
 * After a change or the first report hosts are spread by half a period; a due one settles at the
 * plain period.
 */
export function nextShiftMs(
  reason: 'changed' | 'first' | 'due',
  reportMs: number,
  random: number,
): number {
  return reason === 'due' ? 0 : reportMs * (random - REPORT_SPREAD)
}

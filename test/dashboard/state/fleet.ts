/** Small fleets for tests of what the page says about them. */
import type { ReportedFleet, ReportedZone } from '../../../dashboard/state/fleet-objects.ts'
import { type ZoneView, zoneViews } from '../../../dashboard/state/zone-view.ts'
import type { NodeState } from '../../../shared/lifecycle/liveness/node-summary.ts'
import { defaultSettings } from '../../../shared/lifecycle/settings.ts'
import type { FleetRecord, ZoneRecord } from '../../../shared/lifecycle/world.ts'
import { newFleet, newZone } from '../../../shared/lifecycle/zones/disruption.ts'

export const NOW_MS = new Date(2026, 0, 2, 3, 4, 5).getTime()

export interface ZonePlan {
  readonly name: string
  readonly states: readonly NodeState[]
  readonly sinceMs?: number
  readonly record?: Partial<ZoneRecord>
  readonly pausedBecause?: string
  /** How many the monitor counts as not ready. */
  readonly judgedDown?: number
}

export function viewsOf(plans: readonly ZonePlan[]): ZoneView[] {
  const zones = new Map(plans.map((plan) => [plan.name, zoneOf(plan)]))
  const parts = plans.map(({ name, states, sinceMs = NOW_MS - 60_000 }) => ({
    zone: name,
    nodes: states.map((state, at) => ({
      name: `${name}-${at}`,
      state,
      sinceSeconds: Math.floor(sinceMs / 1000),
    })),
  }))
  return zoneViews(parts, zones)
}

function zoneOf({ name, states, record, pausedBecause, judgedDown = 0 }: ZonePlan): ReportedZone {
  const annotations = { 'leasehold.dev/evictions-paused': pausedBecause ?? '' }
  return {
    metadata: { name, ...(pausedBecause !== undefined && { annotations }) },
    spec: { zone: name },
    status: {
      nodes: states.length,
      notReady: judgedDown,
      record: { ...newZone(defaultSettings, NOW_MS), ...record },
    },
  }
}

export function fleetOf(
  record: Partial<FleetRecord>,
  more: Partial<ReportedFleet> = {},
): ReportedFleet {
  const whole = { ...newFleet(), ...record }
  const blind = whole.blind.some(({ untilMs }) => untilMs === undefined)
  return {
    metadata: { name: 'fleet', resourceVersion: String(NOW_MS * 1000) },
    status: { disruption: whole.disruption, blind, record: whole },
    ...more,
  }
}

export const many = (state: NodeState, count: number): NodeState[] => Array(count).fill(state)

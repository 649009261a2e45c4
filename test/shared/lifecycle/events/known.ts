/** Objects as a transition shows them, with as little said as a test needs. */

import * as fleetObject from '../../../../functions/monitor/stored-state/objects.ts'
import * as zoneObject from '../../../../functions/monitor/stored-state/objects.ts'
import type { Fleet } from '../../../../shared/kube/fleet/resource.ts'
import type {
  Condition,
  ConditionStatus,
  KubeObject,
  Node,
  Pod,
  Taint,
} from '../../../../shared/kube/objects.ts'
import type { Zone } from '../../../../shared/kube/zone/resource.ts'
import type { Transition } from '../../../../shared/lifecycle/events/domain-event.ts'
import { defaultSettings } from '../../../../shared/lifecycle/settings.ts'
import type { FleetRecord, Known, ZoneRecord } from '../../../../shared/lifecycle/world.ts'
import { newFleet, newZone } from '../../../../shared/lifecycle/zones/disruption.ts'

/** 2026-01-01T00:00:00Z in microseconds: a version is the time of its write. */
export const firstVersion = 1_767_225_600_000_000

export const noSchedule: Taint = { key: 'node.kubernetes.io/unreachable', effect: 'NoSchedule' }
export const noExecute: Taint = { ...noSchedule, effect: 'NoExecute' }

interface NodeSays {
  readonly ready?: ConditionStatus
  readonly taints?: readonly Taint[]
  readonly unschedulable?: boolean
}

export function node({ ready, taints, unschedulable }: NodeSays = {}): Node {
  const condition = ready && {
    type: 'Ready',
    status: ready,
    reason: `Is${ready}`,
    message: `Ready is ${ready}.`,
    lastHeartbeatTime: '2025-12-31T23:59:00Z',
    lastTransitionTime: '2026-01-01T00:00:00Z',
  }
  return {
    metadata: {
      name: 'host-1',
      creationTimestamp: '2025-12-01T00:00:00Z',
      labels: { 'topology.kubernetes.io/region': 'eu', 'topology.kubernetes.io/zone': 'a' },
    },
    spec: { ...(taints && { taints }), ...(unschedulable && { unschedulable }) },
    status: { conditions: condition ? [condition] : [] },
  }
}

export function pod(disruption?: Partial<Condition>, deletionTimestamp?: string): Pod {
  const target = { type: 'DisruptionTarget', status: 'True' as const, ...disruption }
  return {
    metadata: {
      name: 'web',
      namespace: 'shop',
      ...(deletionTimestamp && { deletionTimestamp, deletionGracePeriodSeconds: 30 }),
    },
    spec: { nodeName: 'host-1' },
    status: { conditions: disruption ? [target] : [] },
  }
}

/** Zones and the fleet as the monitor itself writes them, so that the two cannot drift apart. */
export function zone(record?: Partial<ZoneRecord>): Zone {
  const bare = zoneObject.newZoneObject('eu:\u0000:a', 'uid', 0)
  if (!record) return bare
  const whole = { ...newZone(defaultSettings, 0), ...record }
  return zoneObject.withZoneRecord(bare, whole, defaultSettings)
}

export function fleet(record?: Partial<FleetRecord>): Fleet {
  const bare = fleetObject.newFleetObject('uid', 0)
  if (!record) return bare
  const counts = { nodes: 3, ready: 3, notReady: 0, unknown: 0, missing: 0 }
  const view = { counts, settings: defaultSettings, history: [] }
  return fleetObject.withFleetRecord(bare, { ...newFleet(), ...record }, view)
}

/** Of one object; a missing side says that it was born or died. */
export function transition<T extends KubeObject>(
  resource: string,
  before: T | undefined,
  after: T | undefined,
): Transition {
  const known = (object: T, version: number): Known<T> => {
    const { name = '', namespace = '' } = object.metadata
    return { resource, key: { namespace, name }, uid: `uid-of-${name}`, version, object }
  }
  return {
    kind: 'object',
    ...(before && { before: known(before, firstVersion) }),
    ...(after && { after: known(after, firstVersion + 5_000_000) }),
    seenAtMs: firstVersion / 1000 + 7_000,
  }
}

/** Objects as a transition shows them, with as little said as a test needs. */
import type {
  Condition,
  ConditionStatus,
  Node,
  Pod,
  Taint,
} from '../../../../shared/kube/objects.ts'
import type { Transition } from '../../../../shared/lifecycle/announce/domain-event.ts'
import type { FleetView } from '../../../../shared/lifecycle/announce/fleet-news.ts'
import type { ZoneView } from '../../../../shared/lifecycle/announce/zone-news.ts'
import type { Known } from '../../../../shared/lifecycle/world.ts'

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

export const zone = (status?: ZoneView['status']): ZoneView => ({
  metadata: { name: 'eu.a' },
  ...(status && { status }),
})

export const fleet = (status?: FleetView['status']): FleetView => ({
  metadata: { name: 'fleet' },
  ...(status && { status }),
})

/** Of one object; a missing side says that it was born or died. */
export function transition<T extends Node | Pod | ZoneView | FleetView>(
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

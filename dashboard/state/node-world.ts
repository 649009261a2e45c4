/** One node as the monitor knows it, so that the monitor's own code can forecast what comes next. */
import type { Lease, Node, Pod } from '../../shared/kube/objects.ts'
import { parseTimeMs } from '../../shared/kube/time.ts'
import {
  deadlineMs,
  graceOfMs,
  lastSignMs,
  readyOf,
} from '../../shared/lifecycle/liveness/health.ts'
import { defaultSettings, type Settings } from '../../shared/lifecycle/settings.ts'
import type { Known, KnownNode, World } from '../../shared/lifecycle/world.ts'
import { newFleet } from '../../shared/lifecycle/zones/disruption.ts'
import { nameOfZone, zoneKey } from '../../shared/lifecycle/zones/zone-state.ts'
import type { ReportedFleet, ReportedZone } from './fleet-objects.ts'
import { beatOfLease } from './lease.ts'

export interface NodeFacts {
  readonly node: Node
  readonly lease: Lease | undefined
  readonly pods: readonly Pod[]
  readonly zone: ReportedZone | undefined
  readonly fleet: ReportedFleet | undefined
  /** When its turn in the queue of its zone comes, if the server said so. */
  readonly taintAtMs?: number
}

/** The settings of this install: the fleet reports those that differ from Kubernetes' defaults. */
export const settingsOf = (fleet: ReportedFleet | undefined): Settings => ({
  ...defaultSettings,
  ...fleet?.status?.settings,
})

export function nodeWorld({ node, lease, pods, zone, fleet }: NodeFacts): World {
  const name = node.metadata.name ?? ''
  const record = zone?.status?.record
  const fleetRecord = fleet?.status?.record
  return {
    nodes: new Map([[name, knownNode(node, lease)]]),
    beats: new Map(lease ? [[name, beatOfLease(lease)]] : []),
    podsByNode: new Map([[name, pods.map((pod) => known('pods', pod))]]),
    zones: new Map(record ? [[zoneKey(node), { version: 0, value: record }]] : []),
    ...(fleetRecord && { fleet: { version: 0, value: fleetRecord } }),
    visibility: { kind: 'clear' },
  }
}

/** The name of the Zone object of this node. */
export const zoneOf = (node: Node): string => nameOfZone(zoneKey(node))

const known = <T extends Node | Pod>(resource: string, object: T): Known<T> => ({
  resource,
  key: { namespace: object.metadata.namespace ?? '', name: object.metadata.name ?? '' },
  uid: object.metadata.uid ?? '',
  version: Number(object.metadata.resourceVersion ?? 0),
  object,
})

/** When the status arrived is not in the object, but matters only for a host without a lease. */
function knownNode(node: Node, lease: Lease | undefined): KnownNode {
  const heartbeatMs = parseTimeMs(readyOf(node)?.lastHeartbeatTime ?? '')
  return { ...known('nodes', node), ...(!lease && { receivedAtMs: heartbeatMs }) }
}

export interface Liveness {
  readonly lastSignMs: number
  /** Infinity while the monitor is blind: no deadline passes meanwhile. */
  readonly deadlineMs: number
  readonly graceMs: number
}

export function livenessOf(facts: NodeFacts): Liveness {
  const settings = settingsOf(facts.fleet)
  const record = facts.fleet?.status?.record ?? newFleet()
  const node = knownNode(facts.node, facts.lease)
  const beat = facts.lease && beatOfLease(facts.lease)
  return {
    lastSignMs: lastSignMs(node, beat, record.floorMs),
    deadlineMs: deadlineMs(node, beat, record, settings),
    graceMs: graceOfMs(facts.node, settings),
  }
}

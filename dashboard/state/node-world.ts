/** One node as the monitor would know it, so that its own code can say what happens next. */
import type { Lease, Node, Pod } from '../../shared/kube/objects.ts'
import { parseTimeMs } from '../../shared/kube/time.ts'
import { zoneName } from '../../shared/kube/zone-name.ts'
import { readyOf } from '../../shared/lifecycle/conditions.ts'
import { deadlineMs, graceOfMs, lastSignMs } from '../../shared/lifecycle/health.ts'
import { defaultSettings, type Settings } from '../../shared/lifecycle/settings.ts'
import { newFleet } from '../../shared/lifecycle/tick.ts'
import type { Beat, Known, KnownNode, World } from '../../shared/lifecycle/world.ts'
import { zoneKey } from '../../shared/lifecycle/zone-key.ts'
import { type Fleet, writtenAtMs, type Zone } from './fleet-objects.ts'

export interface NodeFacts {
  readonly node: Node
  readonly lease: Lease | undefined
  readonly pods: readonly Pod[]
  readonly zone: Zone | undefined
  readonly fleet: Fleet | undefined
}

/** What the install was told; what it does not say is as Kubernetes has it. */
export const settingsOf = (fleet: Fleet | undefined): Settings => ({
  ...defaultSettings,
  ...fleet?.status?.settings,
})

export function worldOf({ node, lease, pods, zone, fleet }: NodeFacts): World {
  const name = node.metadata.name ?? ''
  const record = zone?.status?.record
  const fleetRecord = fleet?.status?.record
  return {
    nodes: new Map([[name, knownNode(node, lease)]]),
    beats: new Map(lease ? [[name, beatOf(lease)]] : []),
    podsByNode: new Map([[name, pods.map((pod) => known('pods', pod))]]),
    zones: new Map(record ? [[zoneKey(node), { version: 0, value: record }]] : []),
    ...(fleetRecord && { fleet: { version: 0, value: fleetRecord } }),
    signs: {},
  }
}

/** The name of the Zone object of this node. */
export function zoneOf(node: Node): string {
  const [region = '', zone = ''] = zoneKey(node).split(':\u0000:')
  return zoneName(region, zone)
}

const known = <T extends Node | Pod>(resource: string, object: T): Known<T> => ({
  resource,
  key: { namespace: object.metadata.namespace ?? '', name: object.metadata.name ?? '' },
  uid: object.metadata.uid ?? '',
  version: Number(object.metadata.resourceVersion ?? 0),
  object,
})

/** When its status last arrived is not told; that matters only to a host without a lease. */
function knownNode(node: Node, lease: Lease | undefined): KnownNode {
  const heartbeatMs = parseTimeMs(readyOf(node)?.lastHeartbeatTime ?? '')
  return { ...known('nodes', node), ...(!lease && { receivedAtMs: heartbeatMs }) }
}

/**
 * Only beats move the version of a host's lease, and a version is the server's time of the write.
 */
export function beatOf(lease: Lease): Beat {
  return {
    name: lease.metadata.name ?? '',
    version: Number(lease.metadata.resourceVersion ?? 0),
    holderIdentity: lease.spec?.holderIdentity ?? '',
    receivedAtMs: writtenAtMs(lease),
    ownerUid: lease.metadata.ownerReferences?.find(({ kind }) => kind === 'Node')?.uid,
  }
}

export interface Silence {
  readonly lastSignMs: number
  /** Infinity while no clock runs. */
  readonly deadlineMs: number
  readonly graceMs: number
}

export function silenceOf(facts: NodeFacts): Silence {
  const settings = settingsOf(facts.fleet)
  const record = facts.fleet?.status?.record ?? newFleet()
  const node = knownNode(facts.node, facts.lease)
  const beat = facts.lease && beatOf(facts.lease)
  return {
    lastSignMs: lastSignMs(node, beat, record.floorMs),
    deadlineMs: deadlineMs(node, beat, record, settings),
    graceMs: graceOfMs(facts.node, settings),
  }
}

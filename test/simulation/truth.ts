/**
 * What is true, by the true time, whatever any process believes: derived from the writes themselves
 * and not by the code under test. The invariants ask here.
 */
import type { Node, NodeCondition, Pod, Taint } from '../../shared/kube/objects.ts'
import type { Settings } from '../../shared/lifecycle/settings.ts'
import type { LeaseState } from '../../shared/store/lease-state.ts'
import type { StoredObject } from '../../shared/store/ports.ts'
import type { LeaseChange, ObjectChange, RecordChange, Write } from './observed-store.ts'
import { type Process, stampSkewMs } from './process.ts'

/** A moment as it happened and by the clock that stamped it. */
export interface Moment {
  readonly atMs: number
  readonly skewMs: number
}

export interface TrueNode {
  readonly name: string
  readonly uid: string
  object: Node
  version: number
  /** The last accepted beat, of lease or status; its creation until there is one. */
  sign: Moment
  readonly createdAtMs: number
  /** When Ready was last written as something else. */
  readySinceMs: number
  /** Since when it has the grace it has. */
  graceSinceMs: number
}

export interface Truth {
  readonly settings: Settings
  readonly nodes: Map<string, TrueNode>
  readonly fleet: FleetTruth
  /** By zone object name: since when evictions have been paused there. */
  readonly zonePauses: Map<string, number>
  /** By node name: the beats that the api says that it refused. */
  readonly refusals: Map<string, Refusal[]>
}

export interface Refusal {
  /** When the record was written that tells it. */
  readonly toldAtMs: number
  readonly atMs: number
  readonly uid?: string
}

export interface FleetTruth {
  disruption: string
  /** When a disruption was last left, by the clock that did: no silence before it counts. */
  floorMs: number
  pausedSinceMs: number | undefined
}

export function newTruth(settings: Settings): Truth {
  const fleet = { disruption: 'none', floorMs: 0, pausedSinceMs: undefined }
  return { settings, nodes: new Map(), fleet, zonePauses: new Map(), refusals: new Map() }
}

/**
 * Called after the invariants have looked at the write: they compare it with what was true before.
 */
export function learn(truth: Truth, write: Write): void {
  for (const change of write.changes) {
    if (change.what === 'lease') learnLease(truth, change, write)
    else if (change.what === 'record') learnRecord(truth, change, write.atMs)
    else if (change.resource === 'nodes') learnNode(truth, change, write)
    else if (change.resource === 'fleets') learnFleet(truth, change, write)
    else if (change.resource === 'zones') learnZone(truth, change, write.atMs)
  }
}

function learnRecord({ refusals }: Truth, { id, after }: RecordChange, toldAtMs: number): void {
  if (!id.startsWith('refused-beats/') || !after) return
  const { nodes } = after.value as { nodes: Record<string, Omit<Refusal, 'toldAtMs'>> }
  for (const [name, refused] of Object.entries(nodes)) {
    const known = refusals.get(name) ?? []
    refusals.set(name, known)
    if (!known.some(({ atMs }) => atMs === refused.atMs)) known.push({ ...refused, toldAtMs })
  }
}

/** When the api last says that it refused a beat of this host; 0 if never. */
export const lastRefusedMs = ({ refusals }: Truth, name: string): number =>
  Math.max(0, ...(refusals.get(name) ?? []).map(({ atMs }) => atMs))

const momentOf = ({ atMs, by }: { readonly atMs: number; readonly by: Process }): Moment => ({
  atMs,
  skewMs: stampSkewMs(by),
})

function learnLease(truth: Truth, { id, before, after }: LeaseChange, write: Write): void {
  const [namespace, name = ''] = id.split('/')
  const node = truth.nodes.get(name)
  if (namespace !== 'kube-node-lease' || !node || !after) return
  if (isLeaseBeat(before, after) && isOwn(node, after)) node.sign = momentOf(write)
}

/** A holder, and a renewTime that differs in any direction; or a new holder. */
export function isLeaseBeat(before: LeaseState | undefined, after: LeaseState): boolean {
  const { holderIdentity, renewTime } = after.spec
  if (!holderIdentity) return false
  return renewTime !== before?.spec.renewTime || holderIdentity !== before?.spec.holderIdentity
}

const isOwn = (node: TrueNode, { meta }: LeaseState) =>
  (meta.ownerReferences ?? []).every(({ uid }) => uid === node.uid)

function learnNode(truth: Truth, { before, after }: ObjectChange, write: Write): void {
  const name = (after ?? before)!.key.name
  if (!after) {
    truth.nodes.delete(name)
    return
  }
  const object = after.object as Node
  const known = truth.nodes.get(name)
  if (!known || known.uid !== after.uid) {
    truth.nodes.set(name, newNode(object, after.uid, after.version, write))
    return
  }
  if (write.by.kind === 'api' && isStatusBeat(known.object, object))
    known.sign = arrivalOf(after, write)
  if (readyOf(known.object)?.status !== readyOf(object)?.status) known.readySinceMs = write.atMs
  if (graceMs(truth, known.object) !== graceMs(truth, object)) known.graceSinceMs = write.atMs
  known.object = object
  known.version = after.version
}

function newNode(object: Node, uid: string, version: number, write: Write): TrueNode {
  return {
    name: object.metadata.name ?? '',
    uid,
    object,
    version,
    sign: momentOf(write),
    createdAtMs: write.atMs,
    readySinceMs: write.atMs,
    graceSinceMs: write.atMs,
  }
}

/** However slow the api and its store. */
const LONGEST_REQUEST_MS = 30_000

/** The api stamps a status when the request arrives and writes it a little later. */
function arrivalOf({ receivedAtMs = 0 }: StoredObject, write: Write): Moment {
  const { atMs, skewMs } = momentOf(write)
  const tookMs = atMs + skewMs - receivedAtMs
  if (tookMs < -1 || tookMs > LONGEST_REQUEST_MS)
    throw new Error(`a beat at ${atMs + skewMs} was stamped ${receivedAtMs}`)
  return { atMs: receivedAtMs - skewMs, skewMs }
}

/**
 * Only hosts and people write status through the api; what the monitor writes is no sign of life.
 */
function isStatusBeat(before: Node, after: Node): boolean {
  const times = new Map(
    before.status?.conditions?.map((each) => [each.type, each.lastHeartbeatTime]),
  )
  return (after.status?.conditions ?? []).some(
    ({ type, lastHeartbeatTime }) => !!lastHeartbeatTime && times.get(type) !== lastHeartbeatTime,
  )
}

const PAUSED = 'leasehold.dev/evictions-paused'
const isPaused = ({ after }: ObjectChange) => PAUSED in (after?.object.metadata.annotations ?? {})

function learnFleet(truth: Truth, change: ObjectChange, { by, atMs }: Write): void {
  const { fleet } = truth
  const record = recordOf(change) as { disruption?: string } | undefined
  const disruption = record?.disruption ?? 'none'
  // By the clock of the monitor that ended it, when it read: not by what it wrote.
  if (disruption === 'none' && fleet.disruption !== 'none')
    fleet.floorMs = Math.floor(by.lookedAtMs + stampSkewMs(by))
  fleet.disruption = disruption
  fleet.pausedSinceMs = isPaused(change) ? (fleet.pausedSinceMs ?? atMs) : undefined
}

function learnZone(truth: Truth, change: ObjectChange, atMs: number): void {
  const { zonePauses } = truth
  const name = change.id.slice(1)
  if (!isPaused(change)) zonePauses.delete(name)
  else if (!zonePauses.has(name)) zonePauses.set(name, atMs)
}

export function recordOf({ after }: Pick<ObjectChange, 'after'>): unknown {
  return (after?.object as { status?: { record?: unknown } } | undefined)?.status?.record
}

// ---- reading objects ----------------------------------------------------------------------------

export const readyOf = (node: Node): NodeCondition | undefined =>
  node.status?.conditions?.find(({ type }) => type === 'Ready')

const LIFECYCLE = ['node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable']

export const executing = (node: Node): readonly Taint[] =>
  (node.spec?.taints ?? []).filter(({ effect }) => effect === 'NoExecute')
export const isLifecycle = ({ key }: Taint) => LIFECYCLE.includes(key)
export const lifecycleTaints = (node: Node) => executing(node).filter(isLifecycle)

export const zoneOf = (node: Node) =>
  node.metadata.labels?.['topology.kubernetes.io/zone'] ?? 'none'

/** By a taint. Pods whose node is gone are garbage, which is no judgement about a host. */
export const isEvicted = ({ metadata, status }: Pod) =>
  !!metadata.deletionTimestamp &&
  !!status?.conditions?.some(
    ({ type, reason }) => type === 'DisruptionTarget' && reason === 'DeletionByTaintManager',
  )

/** How long this node may be silent. The simulation writes the annotation in whole seconds only. */
export function graceMs(truth: Truth, node: Node): number {
  const { settings } = truth
  if (!readyOf(node)) return settings.nodeStartupGracePeriodMs
  const own = node.metadata.annotations?.['leasehold.dev/node-monitor-grace-period']
  return own === undefined ? settings.nodeMonitorGracePeriodMs : Number.parseInt(own, 10) * 1_000
}

export const maintenanceUntilMs = (node: Node) =>
  Date.parse(node.metadata.annotations?.['leasehold.dev/maintenance-until'] ?? '') || 0

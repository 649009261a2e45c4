/**
 * What is left over: pods that no host looks after, leases whose node is gone.
 *
 * Two steps with a read in between, because a node that seems to be missing may only be missing in
 * the monitor's cache: `findSuspects` names the nodes to read again, `decideGarbage` gets what was
 * found.
 */
import type { OwnerReference, Pod } from '../../kube/objects.ts'
import type { Settings } from '../settings.ts'
import type { KnownPod, World } from '../world.ts'
import { findGarbage, type GarbageReason, type Quarantine, quarantine } from './pod-garbage.ts'

export type GarbageAction =
  | {
      readonly do: 'deletePod'
      readonly pod: KnownPod
      readonly reason: GarbageReason
      /** To be written before the pod is deleted; if that fails the pod stays. */
      readonly patched?: Pod
    }
  | { readonly do: 'dropLease'; readonly name: string; readonly version: number }

interface Suspects {
  /** To be stored until the next round. */
  readonly quarantine: Quarantine
  /** Node names to read again, consistently. */
  readonly names: readonly string[]
  /** Those of them whose quarantine is over: if they are gone indeed, so are their pods. */
  readonly overdue: ReadonlySet<string>
}

interface GarbageRound {
  readonly world: World
  readonly suspects: Suspects
  /**
   * An entry for every suspect that was read: the uid found, undefined when there is no such node.
   */
  readonly read: ReadonlyMap<string, string | undefined>
  readonly nowMs: number
  readonly settings: Settings
}

export function findSuspects(world: World, before: Quarantine, nowMs: number): Suspects {
  const nodes = [...world.nodes.values()].map(({ object }) => object)
  const round = quarantine({ pods: podsOf(world), nodes, quarantine: before, nowMs })
  const names = new Set(round.suspects)
  for (const { name, ownerUid } of world.beats.values()) {
    if (ownerUid !== undefined && world.nodes.get(name)?.uid !== ownerUid) names.add(name)
  }
  return { quarantine: round.quarantine, names: [...names], overdue: new Set(round.suspects) }
}

export function decideGarbage(round: GarbageRound): readonly GarbageAction[] {
  if (round.settings.observe) return []
  return [...podGarbage(round), ...leaseGarbage(round)]
}

function podGarbage({ world, suspects, read, nowMs, settings }: GarbageRound): GarbageAction[] {
  const known = new Map<Pod, KnownPod>()
  for (const pods of world.podsByNode.values()) for (const pod of pods) known.set(pod.object, pod)
  const found = findGarbage({
    pods: [...known.keys()],
    nodes: [...world.nodes.values()].map(({ object }) => object),
    goneNodes: new Set([...suspects.overdue].filter((name) => isGone(read, name))),
    nowMs,
    terminatedPodThreshold: settings.terminatedPodGcThreshold,
  })
  return found.map(({ pod, ...garbage }) => ({ do: 'deletePod', pod: known.get(pod)!, ...garbage }))
}

/** Read and not found; a name that was not read may well be there. */
const isGone = (read: GarbageRound['read'], name: string): boolean =>
  read.has(name) && read.get(name) === undefined

/** A lease goes with the node that owned it; one that names no owner stays. */
function leaseGarbage({ world, read }: GarbageRound): GarbageAction[] {
  const actions: GarbageAction[] = []
  for (const [name, uid] of read) {
    const beat = world.beats.get(name)
    if (beat?.ownerUid === undefined || beat.ownerUid === uid) continue
    actions.push({ do: 'dropLease', name, version: beat.version })
  }
  return actions
}

function podsOf(world: World): Pod[] {
  return [...world.podsByNode.values()].flatMap((pods) => pods.map(({ object }) => object))
}

type LeaseVerdict =
  | { readonly kind: 'keep' }
  /** Some owners are dead: the lease stays with these. */
  | { readonly kind: 'trim'; readonly ownerReferences: readonly OwnerReference[] }
  | { readonly kind: 'delete' }

/** The uid of the Node of that name, from a consistent read; undefined when there is none. */
type NodeUid = (name: string) => string | undefined

/** Has this node lease outlived its owners? Whether it has expired plays no part. */
export function judgeLease(
  ownerReferences: readonly OwnerReference[] | undefined,
  nodeUid: NodeUid,
): LeaseVerdict {
  // A lease written before its node existed has no owner until a renewal adds one.
  if (!ownerReferences?.length) return { kind: 'keep' }

  const alive = ownerReferences.filter((owner) => isAlive(owner, nodeUid))
  if (alive.length === 0) return { kind: 'delete' }
  if (alive.length === ownerReferences.length) return { kind: 'keep' }
  return { kind: 'trim', ownerReferences: alive }
}

/**
 * A node of the same name and another uid is another node. What is not a Node cannot be looked up,
 * so it stays.
 */
function isAlive(owner: OwnerReference, nodeUid: NodeUid): boolean {
  if (owner.kind !== 'Node' || owner.apiVersion !== 'v1') return true
  return nodeUid(owner.name) === owner.uid
}

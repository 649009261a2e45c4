/**
 * What is left over: pods nobody looks after, leases whose node is gone.
 *
 * Two steps with a read in between, because what seems to be missing may only be missing in what we
 * hold: `findSuspects` names the nodes to read once more, `decideGarbage` is told what that found.
 */
import type { Pod } from '../kube/objects.ts'
import { findGarbage, type Quarantine, quarantine } from './pod-garbage.ts'
import type { Settings } from './settings.ts'
import type { Action, KnownPod, World } from './world.ts'

export interface Suspects {
  /** To be stored until the next round. */
  readonly quarantine: Quarantine
  /** Node names to read again, consistently. */
  readonly names: readonly string[]
  /** Those of them whose quarantine is over: if they are gone indeed, so are their pods. */
  readonly overdue: ReadonlySet<string>
}

export interface GarbageRound {
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

export function decideGarbage(round: GarbageRound): readonly Action[] {
  if (round.settings.observe) return []
  return [...podGarbage(round), ...leaseGarbage(round)]
}

function podGarbage({ world, suspects, read, nowMs, settings }: GarbageRound): Action[] {
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

/** A lease goes with the node that owned it; one that names no owner is nobody's garbage. */
function leaseGarbage({ world, read }: GarbageRound): Action[] {
  const actions: Action[] = []
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

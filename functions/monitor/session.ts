/**
 * What one monitor keeps between its ticks. All of it can be read or counted again: a monitor that
 * starts without it comes to the same decisions.
 */
import { judgedPod } from '../../shared/lifecycle/eviction/judged-pod.ts'
import type { KnownNode } from '../../shared/lifecycle/world.ts'
import { zoneKey } from '../../shared/lifecycle/zones/zone-state.ts'
import { type EventRecorder, eventRecorder } from '../../shared/store/event-recorder.ts'
import type { Key, StoredObject } from '../../shared/store/ports.ts'
import type { MonitorDeps } from './deps.ts'
import { type ObjectCache, objectCache, type PodsByNode, podsByNode } from './read/object-cache.ts'
import type { FleetSummary } from './stored-state/objects.ts'

export interface MonitorSession {
  readonly deps: MonitorDeps
  readonly recorder: EventRecorder
  readonly nodes: ObjectCache
  readonly pods: ObjectCache
  readonly podsByNode: PodsByNode
  /** Zone key -> how many nodes. */
  readonly zoneSizes: ReadonlyMap<string, number>
  /** Name -> uid at the last completed tick; absent until there was one. */
  knownNodes: ReadonlyMap<string, string> | undefined
  /** The zones that were stored at the last tick. */
  knownZones: readonly Key[] | 'unknown'
  /** When the canary's renewal last succeeded. */
  canaryOkAtMs: number | undefined
  canaryFailingSinceMs: number | undefined
  /** How many nodes had beaten at the last tick, within the last minute. */
  beatingNodes: number
  /** What the Fleet object shows beside its record. */
  fleetSummary: FleetSummary
}

export function openSession(deps: MonitorDeps): MonitorSession {
  const zoneSizes = new Map<string, number>()
  const index = podsByNode()
  const move = (node: StoredObject | undefined, by: number) => {
    if (!node) return
    const key = zoneKey((node as KnownNode).object)
    const size = (zoneSizes.get(key) ?? 0) + by
    if (size > 0) zoneSizes.set(key, size)
    else zoneSizes.delete(key)
  }
  const { store, settings } = deps
  const nodes = objectCache(store, 'nodes')
  nodes.onChange((before, after) => {
    move(before, -1)
    move(after, 1)
  })
  const pods = objectCache(store, 'pods', judgedPod)
  pods.onChange(index.onChange)
  return {
    deps,
    recorder: eventRecorder(store, deps.clock),
    nodes,
    pods,
    podsByNode: index,
    zoneSizes,
    knownNodes: undefined,
    knownZones: 'unknown',
    canaryOkAtMs: undefined,
    canaryFailingSinceMs: undefined,
    beatingNodes: 0,
    fleetSummary: {
      counts: { nodes: 0, ready: 0, notReady: 0, unknown: 0, missing: 0 },
      settings,
      history: [],
    },
  }
}

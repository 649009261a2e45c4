/**
 * What one monitor keeps between its ticks. All of it can be read or counted again: whoever starts
 * without it comes to the same decisions.
 */
import type { Signs } from '../../shared/lifecycle/blindness.ts'
import type { KnownNode } from '../../shared/lifecycle/world.ts'
import { zoneKey } from '../../shared/lifecycle/zone-key.ts'
import type { Key, StoredObject } from '../../shared/store/ports.ts'
import type { MonitorDeps } from './deps.ts'
import type { FleetView } from './fleet-object.ts'
import { heldOf } from './held-condition.ts'
import { type ObjectCache, objectCache } from './read/object-cache.ts'
import { type PodsByNode, podsByNode } from './read/pods-by-node.ts'

export interface Session {
  readonly deps: MonitorDeps
  readonly nodes: ObjectCache
  readonly pods: ObjectCache
  readonly podsByNode: PodsByNode
  /** Zone key -> how many nodes. */
  readonly zoneSizes: ReadonlyMap<string, number>
  /** Nodes that changed, came or went since the summaries were last written. */
  readonly touched: Set<string>
  /** Nodes that carry our condition which says that something is held back. */
  readonly heldNodes: ReadonlySet<string>
  /** Name -> uid at the last completed tick; absent until there was one. */
  greeted: ReadonlyMap<string, string> | undefined
  /** The zones that were stored at the last tick. */
  knownZones: readonly Key[] | 'unknown'
  /** When a beat of our own last got through. */
  canaryOkAtMs: number | undefined
  canaryFailingSinceMs: number | undefined
  signs: Signs
  view: FleetView
}

export function openSession(deps: MonitorDeps): Session {
  const zoneSizes = new Map<string, number>()
  const touched = new Set<string>()
  const heldNodes = new Set<string>()
  const index = podsByNode()
  const move = (node: StoredObject | undefined, by: number) => {
    if (!node) return
    const key = zoneKey((node as KnownNode).object)
    const size = (zoneSizes.get(key) ?? 0) + by
    if (size > 0) zoneSizes.set(key, size)
    else zoneSizes.delete(key)
    touched.add(node.key.name)
  }
  const onNode = (before: StoredObject | undefined, after: StoredObject | undefined) => {
    move(before, -1)
    move(after, 1)
    if (before) heldNodes.delete(before.key.name)
    if (after && heldOf((after as KnownNode).object)) heldNodes.add(after.key.name)
  }
  const { store, settings } = deps
  return {
    deps,
    nodes: objectCache({ store, resource: 'nodes', onChange: onNode }),
    pods: objectCache({ store, resource: 'pods', onChange: index.note }),
    podsByNode: index,
    zoneSizes,
    touched,
    heldNodes,
    greeted: undefined,
    knownZones: 'unknown',
    canaryOkAtMs: undefined,
    canaryFailingSinceMs: undefined,
    signs: {},
    view: {
      counts: { nodes: 0, ready: 0, notReady: 0, unknown: 0, missing: 0 },
      settings,
      history: [],
    },
  }
}

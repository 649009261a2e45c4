/** What every step of one tick has at hand. */

import type { Node, Pod } from '../../../shared/kube/objects.ts'
import { nodes as nodeResource } from '../../../shared/kube/resources/nodes.ts'
import { pods as podResource } from '../../../shared/kube/resources/pods.ts'
import type { KnownNode, KnownPod } from '../../../shared/lifecycle/world.ts'
import type { Step, StoredObject } from '../../../shared/store/ports.ts'
import type { MonitorDeps } from '../deps.ts'
import type { FleetView } from '../fleet-object.ts'
import type { ObjectCache } from '../read/object-cache.ts'
import type { Books } from './books.ts'
import { count, type Deed, noteFailure, type Tally } from './tally.ts'
import type { Fate } from './together.ts'

export interface Applying {
  readonly deps: MonitorDeps
  /** The instant everything was decided for. */
  readonly nowMs: number
  readonly nodes: ObjectCache
  readonly pods: ObjectCache
  readonly books: Books
  readonly view: FleetView
  readonly tally: Tally
  /** Is the time of this tick used up? */
  readonly isOver: () => boolean
}

/** The world was built of stored objects, so that is what comes back in its actions. */
export const storedOf = (known: KnownNode | KnownPod): StoredObject => known as StoredObject

export type Replacing = Extract<Step, { readonly do: 'replaceObject' }>

export function replaceNode(node: KnownNode, next: Node): Replacing {
  return replacing(storedOf(node), next, nodeResource.selectable(next))
}

export function replacePod(pod: KnownPod, next: Pod): Replacing {
  return replacing(storedOf(pod), next, podResource.selectable(next))
}

function replacing(
  believed: StoredObject,
  object: Node | Pod,
  fields: Readonly<Record<string, string>>,
): Replacing {
  const { receivedAtMs } = believed
  // The beat stays as it was: what the monitor writes is no sign of life.
  const beat = receivedAtMs !== undefined && { receivedAtMs }
  return { do: 'replaceObject', believed, object, fields, ...beat }
}

/** What the store holds after a replacement of ours, so that nobody needs to read it. */
export function replaced(step: Replacing, version: number): StoredObject {
  const metadata = { ...step.object.metadata, resourceVersion: String(version) }
  const object = { ...step.object, metadata }
  return { ...step.believed, version, object, fields: step.fields }
}

/** Counts what became of a wish; true when it was done. */
export function settle<T>(
  { tally, deps }: Applying,
  deed: Deed,
  fate: Fate<T>,
): fate is Extract<Fate<T>, { kind: 'done' }> {
  if (fate.kind === 'done') count(tally.done, deed)
  if (fate.kind === 'outrun') count(tally.outrun, deed)
  if (fate.kind === 'failed') noteFailure(tally, deps.log, deed, fate.error)
  return fate.kind === 'done'
}

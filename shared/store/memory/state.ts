/** Everything the in-memory store holds, and nothing that happens to it. */

import type { Stamp, WallClock } from '../clock.ts'
import type { LeaseState, LeaseTombstone } from '../lease-state.ts'
import type { ObjectState } from '../object-state.ts'
import type { IndexView } from './index-view.ts'

export interface Memory {
  readonly clock: WallClock
  readonly stamp: Stamp
  readonly leases: Map<string, LeaseState>
  readonly leaseTombstones: Map<string, LeaseTombstone>
  readonly objects: Map<string, Collection>
  readonly records: Map<string, RecordState>
  readonly index: IndexView
}

export interface RecordState {
  readonly version: number
  readonly value: unknown
  readonly expiresAtMs?: number
}

/** The objects of one resource. `sorted` keys are computed for a list and dropped when keys change. */
export interface Collection {
  readonly states: Map<string, ObjectState>
  sorted: readonly string[] | undefined
}

export function collectionOf(memory: Memory, resource: string): Collection {
  const found = memory.objects.get(resource)
  if (found) return found
  const collection: Collection = { states: new Map(), sorted: undefined }
  memory.objects.set(resource, collection)
  return collection
}

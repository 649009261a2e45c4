/** Everything the in-memory store holds, and nothing that happens to it. */
import type { LeaseGhost, LeaseState } from '../lease-state.ts'
import type { ObjectState } from '../object-state.ts'
import type { Clock, Stamp } from '../stamps.ts'
import type { IndexView } from './index-view.ts'

export interface Memory {
  readonly clock: Clock
  readonly stamp: Stamp
  readonly leases: Map<string, LeaseState>
  readonly ghosts: Map<string, LeaseGhost>
  readonly objects: Map<string, Shelf>
  readonly records: Map<string, RecordState>
  readonly index: IndexView
}

export interface RecordState {
  readonly version: number
  readonly value: unknown
  readonly expiresAtMs?: number
}

/**
 * The objects of one resource; `sorted` is made when a list needs it and forgotten when names come
 * or go.
 */
export interface Shelf {
  readonly states: Map<string, ObjectState>
  sorted: readonly string[] | undefined
}

export function shelfOf(memory: Memory, resource: string): Shelf {
  const found = memory.objects.get(resource)
  if (found) return found
  const shelf: Shelf = { states: new Map(), sorted: undefined }
  memory.objects.set(resource, shelf)
  return shelf
}

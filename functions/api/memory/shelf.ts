/**
 * Where does a resource live? Leases have a table of their own, everything else shares one. A shelf
 * hides which, so that the verbs are written once.
 */
import type { KubeObject } from '../../../shared/kube/objects.ts'
import type { Resource } from '../../../shared/kube/resource.ts'
import type { Key, Outcome, Store } from '../../../shared/store/ports.ts'
import { leaseShelf } from './lease-shelf.ts'
import { objectShelf } from './object-shelf.ts'

/** What leases and other objects have in common. */
export interface Stored {
  readonly key: Key
  readonly uid: string
  readonly version: number
  readonly object: KubeObject
}

export type Written = Outcome<'written', Stored>

export interface Shelf<T extends Stored = Stored> {
  get(key: Key): Promise<T | undefined>
  create(object: KubeObject): Promise<Written>
  replace(object: KubeObject, believed: T): Promise<Written>
  /** `leavesLease`: of a node's removal, that its lease is to outlive it. */
  remove(believed: T, leavesLease?: boolean): Promise<Written>
  page(request: ShelfPage): Promise<ShelfPageFound>
}

export interface ShelfPage {
  /** Absent for all namespaces. */
  readonly namespace?: string
  readonly after?: Key
  readonly limit: number
  /** What the field selector pins down, so that a shelf can take a shorter way. */
  readonly exact: Readonly<Record<string, string>>
}

export interface ShelfPageFound {
  readonly items: readonly Stored[]
  /** Where the next page goes on; absent on the last. */
  readonly next?: Key
  /** How many come after this page, where that is known for free. */
  readonly remaining?: number
}

export function shelfOf(store: Store, resource: Resource, nowMs: number): Shelf {
  if (resource.plural === 'leases') return leaseShelf(store) as unknown as Shelf
  return objectShelf(store, resource, nowMs) as unknown as Shelf
}

/** In the order of the bytes of `namespace/name`, as in etcd. */
export function compareKeys(a: Key, b: Key): number {
  return Buffer.compare(
    Buffer.from(`${a.namespace}/${a.name}`),
    Buffer.from(`${b.namespace}/${b.name}`),
  )
}

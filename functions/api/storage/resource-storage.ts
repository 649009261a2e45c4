/**
 * How the verbs read and write a resource, whichever table it is in: Leases have a table of their
 * own, every other resource shares one.
 */
import type { KubeObject } from '../../../shared/kube/objects.ts'
import type { Key, Outcome, Store } from '../../../shared/store/ports.ts'

/** What leases and other objects have in common. */
export interface Stored {
  readonly key: Key
  readonly uid: string
  readonly version: number
  readonly object: KubeObject
}

export type WriteOutcome = Outcome<'written', Stored>

export interface ResourceStorage<T extends Stored = Stored> {
  get(key: Key): Promise<T | undefined>
  create(object: KubeObject): Promise<WriteOutcome>
  replace(object: KubeObject, believed: T): Promise<WriteOutcome>
  /** `leavesLease`: when a Node is removed, its Lease stays. */
  remove(believed: T, leavesLease?: boolean): Promise<WriteOutcome>
  page(request: PageQuery): Promise<Page>
}

/** Of a resource that is computed when asked and never stored. */
export interface ComputedStorage {
  readonly plural: string
  open(store: Store, nowMs: number): ResourceStorage
}

export interface PageQuery {
  /** Absent for all namespaces. */
  readonly namespace?: string
  readonly after?: Key
  readonly limit: number
  /** Fields the selector holds to one value, so that one read can do instead of a list. */
  readonly exact: Readonly<Record<string, string>>
}

export interface Page {
  readonly items: readonly Stored[]
  /** Where the next page goes on; absent on the last. */
  readonly next?: Key
  /** How many come after this page, where that is known for free. */
  readonly remaining?: number
}

/** In the order of the bytes of `namespace/name`, as in etcd. */
export function compareKeys(a: Key, b: Key): number {
  return Buffer.compare(
    Buffer.from(`${a.namespace}/${a.name}`),
    Buffer.from(`${b.namespace}/${b.name}`),
  )
}

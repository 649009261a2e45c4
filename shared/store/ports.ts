/**
 * What does the service store, and how may it be changed?
 *
 * Reads are strongly consistent unless a comment says otherwise. Every write states what it
 * believed: it is a list of steps that are applied together or not at all, and a lost race is an
 * answer (`outrun`), not an exception. Throttling and faults are retried inside; when retries are
 * used up, a StatusError is thrown: 429 or 503, and nothing was written; or 504, when an answer was
 * lost and nothing proves whether the write was applied. No outcome of a write rests on a guess, and
 * none is applied twice.
 */
import type { KubeObject, Lease, LeaseSpec } from '../kube/objects.ts'
import type { HolderRule } from '../lifecycle/liveness/holder.ts'
import type { Beat, EmittedEvent } from '../lifecycle/world.ts'

export interface Store {
  readonly leases: Leases
  readonly objects: Objects
  readonly records: Records
  /**
   * All steps or none. One step is a plain conditional write, several are a transaction (at most
   * 100).
   */
  commit(steps: readonly WriteStep[]): Promise<Commit>
  /** Our clock minus the database's, as last measured; 0 until the first answer. */
  skewMs(): number
}

export interface Key {
  /** Empty for cluster-scoped objects. */
  readonly namespace: string
  readonly name: string
}

// ---- leases: the table of the renewals

export interface Leases {
  get(key: Key): Promise<StoredLease | undefined>
  /** Many by key, strongly consistent; absent ones are left out. */
  read(keys: readonly Key[]): Promise<readonly StoredLease[]>
  /** One write unit, no read. Changes times and client metadata, never the holder. */
  renew(renewal: Renewal): Promise<Renewed>
  /**
   * Name, namespace, uid and creationTimestamp are already set. Counts leaseTransitions on from a
   * deleted lease of the same name.
   */
  create(lease: Lease): Promise<Outcome<'created', StoredLease>>
  /** Any other change, computed from `believed`. Applies the holder rule, unless it is told not to. */
  replace(
    lease: Lease,
    believed: StoredLease,
    rule?: HolderRule,
  ): Promise<Outcome<'replaced', StoredLease>>
  /** Outside kube-node-lease its leaseTransitions stay behind, in a tombstone. */
  remove(believed: StoredLease): Promise<Outcome<'removed', StoredLease>>
  /** Every lease, or those of a few namespaces, page by page, in no order. */
  scan(scope?: LeaseScope): AsyncIterable<readonly StoredLease[]>
  /** What the monitor needs of every node lease: less to transfer and to hold than whole leases. */
  beats(): AsyncIterable<readonly Beat[]>
}

interface LeaseScope {
  /** Default: all of them. A few dozen at most. */
  readonly namespaces?: readonly string[]
  /** At twice the price; else eventually consistent. */
  readonly consistent?: true
}

export interface StoredLease {
  readonly key: Key
  readonly uid: string
  readonly version: number
  /** Complete, as the wire shows it, resourceVersion included. */
  readonly object: Lease
  /** Our clock, when the last beat arrived. */
  readonly receivedAtMs?: number
  /** receivedAtMs + leaseDurationSeconds; a lease without a duration never expires. */
  readonly expiresAtMs?: number
  /** When the monitor last declared the host Unknown. Never cleared: the agent reacts to a change. */
  readonly declaredAtMs?: number
  /** A counter, raised by every bind or delete of a pod on this host. The agent lists when it moved. */
  readonly inbox: number
  /** The id of the write that made this version; the next write keeps it as the one before. */
  readonly writtenBy?: string
  /** The Node's own grace, if it has one: the answer to a beat tells the host its interval by it. */
  readonly ownGraceMs?: number
}

export interface Renewal {
  readonly key: Key
  /** With `object` the whole spec of a PUT; without it only what a patch sets, the rest stays. */
  readonly spec: LeaseSpec
  /** The version the client saw (PUT); absent for a patch, which renews any version. */
  readonly version?: number
  /** The uid the client saw, if it sent one. */
  readonly uid?: string
  /** The Node uid in the caller's token: compared with the lease's owner in the same write. */
  readonly ownerUid?: string
  /** The rest of a PUT body, which replaces what is stored: labels, annotations, owners. */
  readonly object?: Lease
}

/**
 * `notRenewal`: the write is legal but no plain renewal (other holder, same renewTime, being deleted
 * …); `found` is the stored lease, so that `replace` needs no read.
 */
export type Renewed =
  | { readonly kind: 'renewed'; readonly lease: StoredLease }
  | { readonly kind: 'notRenewal'; readonly found: StoredLease }
  | { readonly kind: 'missing' }
  | { readonly kind: 'foreignOwner'; readonly found: StoredLease }

/** `held`: refused by the holder rule, since another holder's lease has not expired. */
export type Outcome<Done extends string, T> =
  | { readonly kind: Done; readonly now: T }
  | { readonly kind: 'outrun'; readonly found?: T }
  | { readonly kind: 'held'; readonly found: T }

// ---- objects: nodes, pods, events, namespaces

export interface Objects {
  get(resource: string, key: Key, depth?: Depth): Promise<StoredObject | undefined>
  /**
   * In order of the bytes of `namespace/name`, as in etcd. Reads about `limit` items, not the whole
   * fleet.
   */
  list(resource: string, page: PageRequest): Promise<Page>
  /** Many by key, strongly consistent; absent ones are left out. */
  read(resource: string, keys: readonly Key[], depth?: Depth): Promise<readonly StoredObject[]>
  /** Eventually consistent (an index). */
  podsOn(nodeName: string): Promise<readonly StoredObject[]>
  /** How many those are, without reading them. */
  countPodsOn(nodeName: string): Promise<number>
  /**
   * What changed at or after a version, oldest first, tombstones included; from an index, which may
   * lag.
   */
  changes(resource: string, sinceVersion: number): Promise<readonly Change[]>
}

/** `lean` leaves out a node's `status.images`, which no decision needs: they are an item of their own. */
export type Depth = 'whole' | 'lean'

export interface StoredObject {
  readonly resource: string
  readonly key: Key
  readonly uid: string
  readonly version: number
  /** The version of its creation. */
  readonly createdVersion: number
  /** The id of the write that made this version; the next write keeps it as the one before. */
  readonly writtenBy?: string
  /** The selectable fields it was stored with. */
  readonly fields: Readonly<Record<string, string>>
  /** The labels have not changed since this version at the latest; absent: since its own. */
  readonly labelsSince?: number
  /** Read without its images: replacing it leaves them alone. Otherwise they are replaced too. */
  readonly lean?: true
  /** Nodes with images: the version that last wrote them. */
  readonly imagesVersion?: number
  /** Complete (but for `lean`), as the wire shows it, resourceVersion included. */
  readonly object: KubeObject
  /** Nodes: our clock, when the last status beat arrived. */
  readonly receivedAtMs?: number
}

export interface PageRequest {
  readonly namespace?: string
  readonly after?: Key
  readonly limit?: number
  /** `whole` unless told. */
  readonly depth?: Depth
  /** Applied to each object as it is decoded, so that no more than a page of them is ever whole. */
  readonly trim?: (object: KubeObject) => KubeObject
}

interface Page {
  readonly items: readonly StoredObject[]
  readonly more: boolean
  /** Ids of items that could not be decoded; they are left out. */
  readonly poisoned: readonly string[]
}

export interface Change {
  readonly key: Key
  readonly uid: string
  readonly version: number
  readonly deleted: boolean
  /** Labels and selectable fields now (of a tombstone: the last), so that selectors need no read. */
  readonly labels: Readonly<Record<string, string>>
  readonly fields: Readonly<Record<string, string>>
  /** The same before this change, absent when it was created by it. */
  readonly before?: {
    readonly version: number
    readonly labels: Readonly<Record<string, string>>
    readonly fields: Readonly<Record<string, string>>
    /** Since when; absent in items that were written before this was stored. */
    readonly labelsSince?: number
  }
  /**
   * The version of its creation: an object younger than a watch cannot be in that watcher's cache.
   */
  readonly createdVersion: number
}

// ---- records: what kube-controller-manager keeps in memory

export interface Records {
  get<T>(name: string): Promise<StoredRecord<T> | undefined>
  /** By prefix, in order of name. For what is few and small, as bootstrap tokens. */
  list<T>(prefix: string): Promise<readonly StoredRecord<T>[]>
}

export interface StoredRecord<T> {
  readonly name: string
  readonly version: number
  readonly value: T
}

// ---- steps of a commit

export type WriteStep =
  | {
      readonly do: 'createObject'
      readonly resource: string
      /** With name, namespace, uid and creationTimestamp already set. */
      readonly object: KubeObject
      /** Selectable fields, indexed with the labels. */
      readonly fields: Readonly<Record<string, string>>
      readonly receivedAtMs?: number
      readonly expiresAtMs?: number
    }
  | {
      readonly do: 'replaceObject'
      /** Fails unless the stored version is this one's. */
      readonly believed: StoredObject
      readonly object: KubeObject
      readonly fields: Readonly<Record<string, string>>
      readonly receivedAtMs?: number
      readonly expiresAtMs?: number
      /** Stored beside the object until its next write, for the stream. */
      readonly emits?: readonly EmittedEvent[]
    }
  | { readonly do: 'deleteObject'; readonly believed: StoredObject }
  | { readonly do: 'confirmObject'; readonly believed: StoredObject }
  /** An object that must still be absent: a node that has just come back is not taken for gone. */
  | { readonly do: 'confirmNoObject'; readonly resource: string; readonly key: Key }
  | {
      readonly do: 'declareSilent'
      readonly lease: { readonly key: Key; readonly version: number }
      readonly declaredAtMs: number
    }
  /** A lease that must still be absent: the first beat of a node wins over its mark. */
  | { readonly do: 'confirmNoLease'; readonly key: Key }
  /** Deletes a lease in kube-node-lease, whatever its version; it may be absent. */
  | { readonly do: 'dropLease'; readonly key: Key }
  /** Adds one to the host's inbox. Without a lease it is counted for the lease to come. */
  | { readonly do: 'raiseInbox'; readonly nodeName: string }
  /** Writes the Node's own grace to its lease, which must exist; absent: removes it. */
  | { readonly do: 'setOwnGrace'; readonly nodeName: string; readonly ownGraceMs?: number }
  | {
      readonly do: 'putRecord'
      readonly name: string
      readonly value: unknown
      /** The version believed to be stored; absent: must not exist yet. */
      readonly believed?: number
      readonly expiresAtMs?: number
    }
  | { readonly do: 'dropRecord'; readonly name: string; readonly believed: number }
  | { readonly do: 'confirmRecord'; readonly name: string; readonly believed?: number }

export type Commit =
  /** Versions in the order of the steps; 0 for steps that have none. */
  | { readonly kind: 'committed'; readonly versions: readonly number[] }
  /** Nothing was written. `steps`: whose beliefs were wrong; `found`: what a single object step met. */
  | {
      readonly kind: 'outrun'
      readonly steps: readonly number[]
      readonly found?: StoredObject
    }

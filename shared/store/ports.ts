/**
 * What does the service remember, and how may it be changed?
 *
 * Reads are strongly consistent unless a name says otherwise. Every write states what it believed:
 * it is a list of steps that happen together or not at all, and a lost race is an answer
 * (`outrun`), not an exception. Throttling and faults are retried inside; what is left of them
 * flies as a StatusError (429 or 503).
 */
import type { KubeObject, Lease, LeaseSpec } from '../kube/objects.ts'

export interface Store {
  readonly leases: Leases
  readonly objects: Objects
  readonly records: Records
  /**
   * All steps or none. One step is a plain conditional write, several are a transaction (at most
   * 100).
   */
  commit(steps: readonly Step[]): Promise<Commit>
  /**
   * Our clock minus the memory's, as last seen; 0 until something was heard. Beyond 2 s doubt the
   * clock.
   */
  skewMs(): number
}

export interface Key {
  /** Empty for cluster-wide things. */
  readonly namespace: string
  readonly name: string
}

// ---- leases: the hot table
// ------------------------------------------------------------------------------

export interface Leases {
  get(key: Key): Promise<StoredLease | undefined>
  /** Many by key, strongly consistent; absent ones are left out. */
  read(keys: readonly Key[]): Promise<readonly StoredLease[]>
  /**
   * The hot path: one write unit, no read. Holder and everything but the spec's times stay as they
   * are.
   */
  renew(renewal: Renewal): Promise<Renewed>
  /**
   * Name, namespace, uid and creationTimestamp are already set. Applies the holder rule and the
   * fencing mark.
   */
  create(lease: Lease): Promise<Outcome<'created', StoredLease>>
  /** Any other change. `believed` is what the change was computed from. Applies the holder rule. */
  replace(lease: Lease, believed: StoredLease): Promise<Outcome<'replaced', StoredLease>>
  /** Outside kube-node-lease the fencing mark stays behind. */
  remove(believed: StoredLease): Promise<Outcome<'removed', StoredLease>>
  /**
   * Every lease, page by page, in no order, eventually consistent; segments are read in parallel.
   */
  scan(namespace?: string): AsyncIterable<readonly StoredLease[]>
  /**
   * The little the monitor needs of every node lease: cheaper to read and to hold than whole
   * leases.
   */
  beats(): AsyncIterable<readonly Beat[]>
}

export interface StoredLease {
  readonly key: Key
  readonly uid: string
  readonly version: number
  /** Complete, as the wire shows it, resourceVersion included. */
  readonly object: Lease
  /** Our clock, when the last beat arrived. */
  readonly receivedAtMs?: number
  /** receivedAtMs + duration; absent when the lease has no duration and so never expires. */
  readonly expiresAtMs?: number
  /**
   * When the monitor last declared the host Unknown. Never cleared: a host reacts when the number
   * changes.
   */
  readonly declaredAtMs?: number
  /** Raised by every bind or delete of a pod on this host. */
  readonly inbox: number
  /**
   * The grace of the host's Node where that has one of its own, so that a beat tells it its pace.
   */
  readonly ownGraceMs?: number
}

export interface Beat {
  readonly name: string
  readonly version: number
  readonly holderIdentity: string
  readonly receivedAtMs?: number
  readonly ownerUid?: string
  readonly declaredAtMs?: number
  readonly ownGraceMs?: number
}

export interface Renewal {
  readonly key: Key
  /** With `object` the whole spec of a PUT; without it only what a patch sets, the rest stays. */
  readonly spec: LeaseSpec
  /** The version the client saw (PUT); absent for a patch, which renews whatever is there. */
  readonly version?: number
  /** The uid the client saw, if it said one. */
  readonly uid?: string
  /** The Node uid in the caller's token: compared with the lease's owner in the same write. */
  readonly ownerUid?: string
  /** The rest of a PUT body, which replaces what is stored: labels, annotations, owners. */
  readonly object?: Lease
}

/**
 * `notRenewal`: the write is legal but is not a plain renewal (other holder, same renewTime, being
 * deleted …); `found` is what is there, so the slow path needs no read.
 */
export type Renewed =
  | { readonly kind: 'renewed'; readonly lease: StoredLease }
  | { readonly kind: 'notRenewal'; readonly found: StoredLease }
  | { readonly kind: 'missing' }
  | { readonly kind: 'foreignOwner'; readonly found: StoredLease }

/** `held`: the holder rule said no, somebody else's lease has not run out. */
export type Outcome<Done extends string, T> =
  | { readonly kind: Done; readonly now: T }
  | { readonly kind: 'outrun'; readonly found?: T }
  | { readonly kind: 'held'; readonly found: T }

// ---- objects: nodes, pods, events, namespaces
// -----------------------------------------------------------

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
  /**
   * What changed at or after a version, oldest first, tombstones included; from an index, which may
   * lag.
   */
  changes(resource: string, sinceVersion: number): Promise<readonly Change[]>
}

/**
 * `lean` leaves out what nobody judges (a node's `status.images`), which is stored beside the
 * object.
 */
export type Depth = 'whole' | 'lean'

export interface StoredObject {
  readonly resource: string
  readonly key: Key
  readonly uid: string
  readonly version: number
  /** The version of its creation. */
  readonly createdVersion: number
  /** The selectable fields it was stored with. */
  readonly fields: Readonly<Record<string, string>>
  /** Its labels have been these since this version, if not for longer; since its own, if absent. */
  readonly labelsSince?: number
  /**
   * Read without its images: replacing it leaves them as they are. Otherwise replacing it replaces
   * them too.
   */
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
}

export interface Page {
  readonly items: readonly StoredObject[]
  readonly more: boolean
  /** Records that could not be read; they are counted and left out, not fatal. */
  readonly poisoned: readonly string[]
}

export interface Change {
  readonly key: Key
  readonly uid: string
  readonly version: number
  readonly deleted: boolean
  /**
   * Labels and selectable fields now (for a tombstone: at the end), so that selectors need no read.
   */
  readonly labels: Readonly<Record<string, string>>
  readonly fields: Readonly<Record<string, string>>
  /** The same before this change, absent when it was created by it. */
  readonly before?: {
    readonly version: number
    readonly labels: Readonly<Record<string, string>>
    readonly fields: Readonly<Record<string, string>>
    /** Those labels since when; absent in what was written before this was kept. */
    readonly labelsSince?: number
  }
  /**
   * The version of its creation: an object younger than a watch cannot be in that watcher's cache.
   */
  readonly createdVersion: number
}

// ---- records: what kube-controller-manager keeps in memory
// ----------------------------------------------

export interface Records {
  get<T>(name: string): Promise<StoredRecord<T> | undefined>
  /**
   * By prefix, in order of name; for few and small things (zones, watch slots, bootstrap tokens).
   */
  list<T>(prefix: string): Promise<readonly StoredRecord<T>[]>
}

export interface StoredRecord<T> {
  readonly name: string
  readonly version: number
  readonly value: T
}

// ---- steps
// ----------------------------------------------------------------------------------------------

export type Step =
  | {
      readonly do: 'createObject'
      readonly resource: string
      /** With name, namespace, uid and creationTimestamp already set. */
      readonly object: KubeObject
      /** Labels beside which the selectable fields are indexed. */
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
    }
  | { readonly do: 'deleteObject'; readonly believed: StoredObject }
  | { readonly do: 'confirmObject'; readonly believed: StoredObject }
  /** An object that must still be absent, so that whoever comes back is not taken for gone. */
  | { readonly do: 'confirmNoObject'; readonly resource: string; readonly key: Key }
  | {
      readonly do: 'declareSilent'
      readonly lease: { readonly key: Key; readonly version: number }
      readonly declaredAtMs: number
    }
  /** A lease that must still be absent, so that the first beat of a node beats its verdict. */
  | { readonly do: 'confirmNoLease'; readonly key: Key }
  /** Deletes a node's lease (only in kube-node-lease) whatever its version; absent is fine. */
  | { readonly do: 'dropLease'; readonly key: Key }
  /** Adds one to the host's inbox; a host without a lease has none and that is fine. */
  | { readonly do: 'raiseInbox'; readonly nodeName: string }
  /**
   * Notes the host's own grace on its lease, which must be there; without one, that it has none.
   */
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
  /**
   * Which steps' beliefs were wrong. Nothing was written. `found` is what a lone object step met.
   */
  | {
      readonly kind: 'outrun'
      readonly steps: readonly number[]
      readonly found?: StoredObject
    }

/** Everything a decision may rest on, and everything it may ask for. Plain data on both sides. */
import type { Node, Pod } from '../kube/objects.ts'
import type { Interval, Signs } from './blindness.ts'
import type { EventDraft } from './events.ts'
import type { Limiter } from './limiter.ts'
import type { GarbageReason } from './pod-garbage.ts'
import type { ZoneState } from './zone-state.ts'

/** An object as it was read; structurally a StoredObject of shared/store/ports.ts. */
export interface Known<T> {
  readonly resource: string
  readonly key: { readonly namespace: string; readonly name: string }
  readonly uid: string
  readonly version: number
  readonly object: T
  /** Nodes: our clock, when the last status beat arrived. */
  readonly receivedAtMs?: number
}
export type KnownNode = Known<Node>
export type KnownPod = Known<Pod>

/** The little that is needed of a node's lease; structurally the Beat of shared/store/ports.ts. */
export interface Beat {
  readonly name: string
  readonly version: number
  readonly holderIdentity: string
  readonly receivedAtMs?: number
  readonly ownerUid?: string
  readonly declaredAtMs?: number
  /** The Node's own grace as the lease has it, and so as the host is told. */
  readonly ownGraceMs?: number
}

/** Stored per zone. */
export interface ZoneRecord {
  readonly state: ZoneState
  /** When it entered that state. */
  readonly sinceMs: number
  readonly limiter: Limiter
  readonly size: number
  readonly notReady: number
  /** When people paused evictions here; open while they are paused. */
  readonly stops: readonly Interval[]
  /** What is held back in this zone now, and why; for people. */
  readonly held: readonly string[]
}

/**
 * Stored once. Losing it is safe: every clock then starts at what nodes and leases themselves say.
 */
export interface FleetRecord {
  readonly disruption: 'none' | 'entering' | 'entered'
  readonly disruptionSinceMs?: number
  /** When full disruption was last left: no silence before it counts. */
  readonly floorMs: number
  readonly blind: readonly Interval[]
  /** When people paused evictions everywhere; open while they are paused. */
  readonly stops: readonly Interval[]
  /** Nodes created up to here have been greeted; asked only when a monitor starts cold. */
  readonly greetedThroughMs: number
}

export interface Recorded<T> {
  readonly version: number
  readonly value: T
}

export interface World {
  readonly nodes: ReadonlyMap<string, KnownNode>
  /** Between ticks, when `nodes` are a few: all there are, as far as is known. */
  readonly everyNode?: Iterable<KnownNode>
  readonly beats: ReadonlyMap<string, Beat>
  /** By node name; unbound pods under the empty name. */
  readonly podsByNode: ReadonlyMap<string, readonly KnownPod[]>
  /**
   * Pods that this process saw become bound since its last tick, or could not mark not ready in it.
   */
  readonly boundPods?: readonly KnownPod[]
  /** By zone key. */
  readonly zones: ReadonlyMap<string, Recorded<ZoneRecord>>
  readonly fleet?: Recorded<FleetRecord>
  /**
   * Name -> uid of the nodes at this process's last tick; absent on a cold start. Costs at most an
   * event.
   */
  readonly greeted?: ReadonlyMap<string, string>
  readonly signs: Signs
}

export interface ZoneChange {
  readonly key: string
  /**
   * The version as it was read; absent: must not exist yet. If an earlier action of this decision
   * wrote the record, it is the version that write returned.
   */
  readonly believed?: number
  readonly next: ZoneRecord
}

export interface FleetChange {
  readonly believed?: number
  readonly next: FleetRecord
}

export interface PodChange {
  readonly pod: KnownPod
  readonly next: Pod
  readonly events: readonly EventDraft[]
}

export type UpdateReason =
  | 'noSchedule'
  | 'labels'
  | 'swap'
  | 'reachable'
  | 'foreignTaint'
  | 'disruption'

/**
 * Each is one conditional step that states what it believed. Events are told only if the step
 * succeeded.
 */
export type Action =
  | {
      readonly do: 'markUnknown'
      readonly node: KnownNode
      /** The lease as judged, or that there was none. */
      readonly lease: { readonly version: number } | 'none'
      readonly next: Node
      readonly deadlineMs: number
      readonly events: readonly EventDraft[]
    }
  | {
      readonly do: 'updateNode'
      readonly node: KnownNode
      readonly next: Node
      readonly why: readonly UpdateReason[]
    }
  /**
   * Several in one zone build on each other: after one is outrun, leave the rest to the next tick.
   */
  | {
      readonly do: 'taintNoExecute'
      readonly node: KnownNode
      readonly next: Node
      readonly zone: ZoneChange
    }
  | { readonly do: 'zoneChanged'; readonly zone: ZoneChange; readonly from: ZoneState }
  | { readonly do: 'dropZone'; readonly key: string; readonly believed: number }
  /**
   * In one transaction if they fit. If not: entering, the fleet first, so that evictions end at
   * once; leaving, the fleet last. Half done, the next tick takes it up again either way.
   */
  | {
      readonly do: 'enterDisruption' | 'leaveDisruption'
      readonly fleet: FleetChange
      readonly zones: readonly ZoneChange[]
    }
  | { readonly do: 'changeFleet'; readonly fleet: FleetChange; readonly why: readonly string[] }
  | {
      readonly do: 'markPodsNotReady'
      readonly node: string
      readonly pods: readonly PodChange[]
      /** The node is marked in this very decision: if that was outrun, leave its pods alone. */
      readonly onlyIfMarked: boolean
    }
  | {
      readonly do: 'evictPod'
      readonly pod: KnownPod
      /** The node with the taint that evicts, as judged; absent when the node is gone. */
      readonly node?: KnownNode
      readonly next: Pod
      /** `removed`: nobody has to confirm. */
      readonly outcome: 'terminating' | 'removed'
      readonly events: readonly EventDraft[]
    }
  | { readonly do: 'setPodDue'; readonly change: PodChange; readonly dueAtMs: number }
  | { readonly do: 'cancelPodDue'; readonly change: PodChange }
  | {
      readonly do: 'deletePod'
      readonly pod: KnownPod
      readonly reason: GarbageReason
      /** To be written before the pod is deleted; if that fails the pod stays. */
      readonly patched?: Pod
    }
  | { readonly do: 'dropLease'; readonly name: string; readonly version: number }
  | { readonly do: 'event'; readonly event: EventDraft }

export type HoldReason =
  | 'blind'
  | 'observe'
  | 'fleetPaused'
  | 'zonePaused'
  | 'maintenance'
  | 'settling'
  | 'fleetDisrupted'
  | 'zoneStopped'
  | 'waitingForToken'

/** Something that would be done and is not. */
export interface Hold {
  readonly what: 'mark' | 'taint' | 'evict'
  readonly why: HoldReason
  readonly zone: string
  /** Absent when it concerns everybody in the zone. */
  readonly node?: string
  /** When it will be looked at again, where that is known. */
  readonly untilMs?: number
}

export interface ZoneSummary {
  readonly key: string
  readonly record: ZoneRecord
  /** Who waits for a first NoExecute taint, in the order they will get it. */
  readonly waiting: readonly string[]
}

export interface Counts {
  readonly nodes: number
  readonly ready: number
  readonly notReady: number
  readonly unknown: number
  /** Without any Ready condition. */
  readonly missing: number
  readonly marked: number
  readonly tainted: number
  readonly evicted: number
}

export interface Decision {
  readonly actions: readonly Action[]
  /** What `observe` kept from being done. */
  readonly withheld: readonly Action[]
  readonly holds: readonly Hold[]
  readonly zones: readonly ZoneSummary[]
  readonly counts: Counts
  /**
   * What falls due before the next tick, earliest first: re-read these nodes then and ask
   * `decideDue`.
   */
  readonly due: readonly Due[]
}

export interface Due {
  readonly atMs: number
  readonly node: string
  readonly what: 'unknown' | 'evict'
}

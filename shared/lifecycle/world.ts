/** Everything a decision may rest on, and everything it may ask for. Plain data on both sides. */
import type { Node, Pod } from '../kube/objects.ts'
import type { ZoneState } from '../kube/zone/resource.ts'
import type { Interval, Refusals, Visibility } from './liveness/visibility.ts'
import type { Limiter } from './zones/limiter.ts'

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

/** The little that is needed of a node's lease. */
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
  /** Nodes created up to here are not new to the monitors; asked only when one starts cold. */
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
  readonly knownNodes?: ReadonlyMap<string, string>
  /** Whose beats the api refused for reasons of its own; absent: none. */
  readonly refusals?: Refusals
  /** Judged once, when the health signals are read; the whole tick goes by it. */
  readonly visibility: Visibility
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

/**
 * What the images of a write do not show: that the monitor made it, and why. The write itself
 * carries these words, so that the Event is told if and only if the write was done.
 */
export type EmittedEvent = 'NodeNotReady' | 'CancellingDeletion' | 'MarkingForDeletion' | Because

/** What was compared: the Event of the taint tells it (`evidence.ts`). */
export type Because = `because ${string}`

export interface PodChange {
  readonly pod: KnownPod
  readonly next: Pod
  readonly emits: readonly EmittedEvent[]
}

export type UpdateReason =
  | 'noSchedule'
  | 'labels'
  | 'swap'
  | 'reachable'
  | 'foreignTaint'
  | 'disruption'

/**
 * Each is one conditional step that states what it believed. What it `emits` is part of the step's
 * own write.
 */
export type Action =
  | {
      readonly do: 'markUnknown'
      readonly node: KnownNode
      /** The lease as judged, or that there was none. */
      readonly lease: { readonly version: number } | 'none'
      readonly next: Node
      readonly deadlineMs: number
      readonly emits: readonly EmittedEvent[]
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
      readonly emits: readonly EmittedEvent[]
    }
  | { readonly do: 'zoneChanged'; readonly zone: ZoneChange }
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
  | { readonly do: 'changeFleet'; readonly fleet: FleetChange }
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
      /** `removed`: no host has to confirm. */
      readonly outcome: 'terminating' | 'removed'
      readonly emits: readonly EmittedEvent[]
    }
  | { readonly do: 'setPodDue'; readonly change: PodChange; readonly dueAtMs: number }
  | { readonly do: 'cancelPodDue'; readonly change: PodChange }

export type HoldReason =
  | 'blind'
  | 'refused'
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
  /** Absent when it concerns every node of the zone. */
  readonly node?: string
  /**
   * When it ends, where that is known; for a taint, when those ahead in the zone's queue have had
   * their tokens.
   */
  readonly untilMs?: number
  /** How many nodes of the zone get their NoExecute taint before this one. */
  readonly ahead?: number
}

interface ZoneSummary {
  readonly key: string
  readonly record: ZoneRecord
  /** The nodes that wait for a first NoExecute taint, in the order they will get it. */
  readonly waiting: readonly string[]
}

export interface DecisionCounts {
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
  readonly counts: DecisionCounts
  /**
   * What falls due before the next tick, earliest first: re-read these nodes then and ask
   * `decideDue`.
   */
  readonly due: readonly DueNode[]
}

export interface DueNode {
  readonly atMs: number
  readonly node: string
  readonly what: 'unknown' | 'evict'
}

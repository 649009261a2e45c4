/** What the world is told: the shape of every event on the bus. docs/events.md has the schemas. */
import type { ConditionStatus, KubeObject, Taint } from '../../kube/objects.ts'
import type { Known } from '../world.ts'
import type { ZoneState } from '../zone-state.ts'

interface ReadyChange {
  /** Absent when the node had never said. */
  readonly from?: ConditionStatus
  readonly to: ConditionStatus
  readonly lastHeartbeatTime?: string
  readonly lastTransitionTime?: string
}

/** By type, what changed. */
export interface Changes {
  readonly NodeRegistered: {
    readonly ready?: ConditionStatus
    readonly unschedulable: boolean
    readonly taints: readonly Taint[]
  }
  readonly NodeReady: ReadyChange
  readonly NodeNotReady: ReadyChange
  readonly NodeUnreachable: ReadyChange
  readonly NodeTainted: { readonly taints: readonly Taint[] }
  readonly NodeUntainted: { readonly taints: readonly Taint[] }
  readonly NodeCordoned: { readonly unschedulable: true }
  readonly NodeUncordoned: { readonly unschedulable: false }
  readonly NodeDeleted: { readonly ready?: ConditionStatus; readonly creationTime?: string }
  readonly PodEvicted: {
    readonly node: string
    readonly deletionTime?: string
    readonly gracePeriodSeconds?: number
  }
  readonly ZoneStateChanged: {
    readonly from: ZoneState
    readonly to: ZoneState
    readonly nodes?: number
    readonly notReady?: number
  }
  readonly FleetDisruptionEntered: { readonly sinceTime?: string }
  readonly FleetDisruptionLeft: { readonly sinceTime?: string; readonly clocksFromTime?: string }
  readonly BlindEntered: { readonly sinceTime: string }
  readonly BlindLeft: { readonly sinceTime: string; readonly untilTime?: string }
  readonly LeaseTaken: {
    /** Empty when nobody held it. */
    readonly from: string
    readonly to: string
    readonly leaseTransitions?: number
  }
}

export type EventType = keyof Changes

/** One thing to tell about a transition; the envelope is put around it later. */
export type News = {
  readonly [Type in EventType]: {
    readonly type: Type
    readonly change: Changes[Type]
    /** Why, in a word and in a sentence, where somebody said. */
    readonly reason?: string
    readonly message?: string
  }
}[EventType]

export interface Subject {
  readonly apiVersion: string
  readonly kind: string
  readonly namespace?: string
  readonly name: string
  readonly uid: string
}

export interface DomainEvent {
  readonly id: string
  readonly source: 'leasehold'
  readonly 'detail-type': EventType
  readonly time: string
  readonly detail: {
    /** Again, because the bus puts an id of its own outside. */
    readonly id: string
    readonly stage: string
    readonly object: Subject
    /** The name of the Zone, for nodes and zones. */
    readonly zone?: string
    /** Grows with every change of the object: a consumer's order. */
    readonly version: number
    readonly time: string
    readonly reason?: string
    readonly message?: string
    readonly change: Changes[EventType]
  }
}

/** Something that was written: an object before and after, or a lease that has a new holder. */
export type Transition =
  | {
      readonly kind: 'object'
      readonly before?: Known<KubeObject>
      readonly after?: Known<KubeObject>
      /** When the stream saw it. A deletion leaves no other time behind. */
      readonly seenAtMs?: number
    }
  | { readonly kind: 'leaseTaken'; readonly taken: TakenLease }

/** Structurally the LeaseTaken of shared/store/announcement.ts. */
export interface TakenLease {
  readonly namespace: string
  readonly name: string
  readonly uid: string
  readonly version: number
  readonly from: string
  readonly to: string
  readonly leaseTransitions?: number
  readonly takenAtMs: number
}

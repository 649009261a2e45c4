/** The shape of every event on the bus. docs/events.md has the schemas. */
import type { ConditionStatus, KubeObject, Taint } from '../../kube/objects.ts'
import type { ZoneState } from '../../kube/zone/resource.ts'
import type { EmittedEvent, Known } from '../world.ts'

interface ReadyChange {
  /** Absent when the node had never reported it. */
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
    /** Empty when it had no holder. */
    readonly from: string
    readonly to: string
    readonly leaseTransitions?: number
  }
}

export type DomainEventType = keyof Changes

/** What one event says; domain-events.ts puts the envelope around it. */
export type EventPayload = {
  readonly [Type in DomainEventType]: {
    readonly type: Type
    readonly change: Changes[Type]
    /** Of the condition that changed, where it has them. */
    readonly reason?: string
    readonly message?: string
  }
}[DomainEventType]

export interface EventSubject {
  readonly apiVersion: string
  readonly kind: string
  readonly namespace?: string
  readonly name: string
  readonly uid: string
}

export interface DomainEvent {
  readonly id: string
  readonly source: 'leasehold'
  readonly 'detail-type': DomainEventType
  readonly time: string
  readonly detail: {
    /** Again, because the bus puts an id of its own outside. */
    readonly id: string
    readonly stage: string
    readonly object: EventSubject
    /** The name of the Zone, for nodes and zones. */
    readonly zone?: string
    /** Grows with every change of the object: a consumer's order. */
    readonly version: number
    readonly time: string
    readonly reason?: string
    readonly message?: string
    readonly change: Changes[DomainEventType]
  }
}

/** Something that was written: an object before and after, or a lease that has a new holder. */
export type Transition =
  | {
      readonly kind: 'object'
      readonly before?: Known<KubeObject>
      readonly after?: Known<KubeObject>
      /** What the write that made `after` carries for the Events that it emits. */
      readonly emits?: readonly EmittedEvent[]
      /** When the stream saw it. A deletion leaves no other time behind. */
      readonly seenAtMs?: number
    }
  | { readonly kind: 'leaseTaken'; readonly taken: TakenLease }

/** The record that the store writes with an acquisition. */
export interface TakenLease {
  readonly namespace: string
  readonly name: string
  readonly uid: string
  readonly version: number
  /** Empty when it had no holder. */
  readonly from: string
  readonly to: string
  readonly leaseTransitions?: number
  readonly takenAtMs: number
}

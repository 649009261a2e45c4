/**
 * An object changed in the store: which events go on the bus? Pure and deterministic, so that a
 * stream record that is delivered twice gives the same ids.
 */
import type { KubeObject, Node } from '../../kube/objects.ts'
import { formatMicroTime, formatTime } from '../../kube/time.ts'
import type { Known } from '../world.ts'
import { nameOfZone, zoneKey } from '../zones/zone-state.ts'
import type {
  DomainEvent,
  EventPayload,
  EventSubject,
  TakenLease,
  Transition,
} from './domain-event.ts'
import { fleetEvents, nodeEvents, podEvents, zoneEvents } from './object-events.ts'

/** Messages come from hosts, and the bus takes 256 KB for ten events. */
const MAX_MESSAGE_LENGTH = 1_024

export function domainEvents(transition: Transition, stage: string): readonly DomainEvent[] {
  if (transition.kind === 'leaseTaken') return [leaseTakenEvent(transition.taken, stage)]
  return changesOf(transition).flatMap((change) => eventsOfChange(change, stage))
}

type ObjectTransition = Extract<Transition, { readonly kind: 'object' }>

/** The same name with another uid is another object: one went, one came. */
export function changesOf(transition: ObjectTransition): readonly ObjectTransition[] {
  const { kind, before, after, emits, seenAtMs } = transition
  if (!before || !after || before.uid === after.uid) return [transition]
  const went = { kind, before, ...(seenAtMs !== undefined && { seenAtMs }) }
  return [went, { kind, after, ...(emits && { emits }) }]
}

function eventsOfChange(change: ObjectTransition, stage: string): readonly DomainEvent[] {
  const { before, after } = change
  const known = after ?? before
  const told = known && announced.get(known.resource)
  if (!known || !told) return []
  const { apiVersion, kind } = told
  const zone = zoneOf(known)
  const envelope = {
    ...momentOf(change),
    stage,
    object: { apiVersion, kind, ...placeOf(known), uid: known.uid },
    ...(zone && { zone }),
  }
  return told.events(before?.object, after?.object).map((payload) => eventOf(envelope, payload))
}

interface Announced {
  /** Not read from the object: a stored object may lack them. */
  readonly apiVersion: string
  readonly kind: string
  events(before: KubeObject | undefined, after: KubeObject | undefined): readonly EventPayload[]
}

/** By resource. Nothing else is announced, above all not our own core/v1 Events. */
const announced: ReadonlyMap<string, Announced> = new Map([
  ['nodes', { apiVersion: 'v1', kind: 'Node', events: nodeEvents }],
  ['pods', { apiVersion: 'v1', kind: 'Pod', events: podEvents }],
  ['zones', { apiVersion: 'leasehold.dev/v1', kind: 'Zone', events: zoneEvents }],
  ['fleets', { apiVersion: 'leasehold.dev/v1', kind: 'Fleet', events: fleetEvents }],
])

export const announcedResources: readonly string[] = [...announced.keys()]

interface Moment {
  readonly version: number
  /** Microseconds. */
  readonly timeUs: number
}

/**
 * A version is the time of its write. The version of a deletion is on the tombstone, which is
 * another stream record; one more than the object's last version comes after it and never repeats.
 */
export function momentOf({ before, after, seenAtMs = 0 }: ObjectTransition): Moment {
  if (after) return { version: after.version, timeUs: after.version }
  const version = (before?.version ?? 0) + 1
  return { version, timeUs: Math.max(seenAtMs * 1000, version) }
}

function leaseTakenEvent(taken: TakenLease, stage: string): DomainEvent {
  const { namespace, name, uid, version, from, to, leaseTransitions, takenAtMs } = taken
  const object = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', namespace, name, uid }
  const change = { from, to, ...(leaseTransitions !== undefined && { leaseTransitions }) }
  const envelope = { version, timeUs: takenAtMs * 1000, stage, object }
  return eventOf(envelope, { type: 'LeaseTaken', change })
}

interface Envelope extends Moment {
  readonly stage: string
  readonly object: EventSubject
  readonly zone?: string
}

function eventOf(envelope: Envelope, { type, change, reason, message }: EventPayload): DomainEvent {
  const { timeUs, stage, object, zone, version } = envelope
  const id = `${type}.${object.uid}.${version}`
  return {
    id,
    source: 'leasehold',
    'detail-type': type,
    time: formatTime(timeUs / 1000),
    detail: {
      id,
      stage,
      object,
      ...(zone && { zone }),
      version,
      time: formatMicroTime(timeUs),
      ...(reason && { reason }),
      ...(message && { message: shortened(message) }),
      change,
    },
  }
}

/** Half a character at the cut would make the bus refuse the whole event. */
const shortened = (message: string) => message.slice(0, MAX_MESSAGE_LENGTH).toWellFormed()

const placeOf = ({ key: { namespace, name } }: Known<KubeObject>) =>
  namespace ? { namespace, name } : { name }

function zoneOf({ resource, key, object }: Known<KubeObject>): string | undefined {
  if (resource === 'zones') return key.name
  return resource === 'nodes' ? nameOfZone(zoneKey(object as Node)) : undefined
}

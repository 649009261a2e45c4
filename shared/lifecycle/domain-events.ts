/**
 * Something was written: what is the world told? Pure, and the same every time it is asked, so that
 * a stream that repeats itself repeats the same ids.
 */
import type { KubeObject, Node } from '../kube/objects.ts'
import { formatMicroTime, formatTime } from '../kube/time.ts'
import { zoneName } from '../kube/zone-name.ts'
import type { DomainEvent, News, Subject, TakenLease, Transition } from './announce/domain-event.ts'
import { fleetNews } from './announce/fleet-news.ts'
import { nodeNews } from './announce/node-news.ts'
import { podNews } from './announce/pod-news.ts'
import { zoneNews } from './announce/zone-news.ts'
import type { Known } from './world.ts'
import { zoneKey } from './zone-key.ts'

/** Of a host's own words; a message is for people, and the bus takes 256 KB for ten events. */
const MAX_MESSAGE_LENGTH = 1_024

export function domainEvents(transition: Transition, stage: string): readonly DomainEvent[] {
  if (transition.kind === 'leaseTaken') return [leaseTakenEvent(transition.taken, stage)]
  const { before, after, seenAtMs } = transition
  // The same name with another uid is another object: one went, one came.
  if (before && after && before.uid !== after.uid) {
    const went = { before, ...(seenAtMs !== undefined && { seenAtMs }) }
    return [went, { after }].flatMap((half) => domainEvents({ kind: 'object', ...half }, stage))
  }
  const known = after ?? before
  const told = known && announced.get(known.resource)
  if (!known || !told) return []
  const { apiVersion, kind } = told
  const zone = zoneOf(known)
  const envelope = {
    ...momentOf(transition, known),
    stage,
    object: { apiVersion, kind, ...placeOf(known), uid: known.uid },
    ...(zone && { zone }),
  }
  return told.news(before?.object, after?.object).map((news) => eventOf(envelope, news))
}

interface Announced {
  /** Not read from the object: what is stored may leave it unsaid. */
  readonly apiVersion: string
  readonly kind: string
  news(before: KubeObject | undefined, after: KubeObject | undefined): readonly News[]
}

/** By resource. What is not here, our own core/v1 Events above all, is never told. */
const announced: ReadonlyMap<string, Announced> = new Map([
  ['nodes', { apiVersion: 'v1', kind: 'Node', news: nodeNews }],
  ['pods', { apiVersion: 'v1', kind: 'Pod', news: podNews }],
  ['zones', { apiVersion: 'leasehold.dev/v1', kind: 'Zone', news: zoneNews }],
  ['fleets', { apiVersion: 'leasehold.dev/v1', kind: 'Fleet', news: fleetNews }],
])

export const announcedResources: readonly string[] = [...announced.keys()]

interface Moment {
  readonly version: number
  /** Microseconds. */
  readonly timeUs: number
}

/**
 * A version is the time of its write. A deletion's own is known only to its tombstone, which the
 * stream tells apart from the object; one more than the last is after it and never repeats.
 */
function momentOf(transition: Extract<Transition, { kind: 'object' }>, known: Known<KubeObject>) {
  const { version } = known
  if (transition.after) return { version, timeUs: version }
  const seenUs = (transition.seenAtMs ?? 0) * 1000
  return { version: version + 1, timeUs: Math.max(seenUs, version + 1) }
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
  readonly object: Subject
  readonly zone?: string
}

function eventOf(envelope: Envelope, { type, change, reason, message }: News): DomainEvent {
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
  if (resource !== 'nodes') return undefined
  const [region = '', zone = ''] = zoneKey(object as Node).split(':\u0000:')
  return zoneName(region, zone)
}

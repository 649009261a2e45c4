/**
 * The store as one process meets it, and a witness behind it: every write is told, with what was
 * there before and after, at the very moment it happens. What the process itself hears about it is
 * another matter.
 */
import { leaseTakenPrefix } from '../../shared/store/announcement.ts'
import type { LeaseState } from '../../shared/store/lease-state.ts'
import { nodeLeaseNamespace } from '../../shared/store/lease-state.ts'
import type { Memory, RecordState } from '../../shared/store/memory/state.ts'
import { storeOver } from '../../shared/store/memory/store.ts'
import { keyText } from '../../shared/store/object-state.ts'
import type { Key, Leases, Store, StoredObject, WriteStep } from '../../shared/store/ports.ts'
import { wrappedStore } from '../store-doubles/wrapped-store.ts'
import type { Process } from './process.ts'

export interface LeaseChange {
  readonly what: 'lease'
  readonly id: string
  readonly before?: LeaseState
  readonly after?: LeaseState
}

export interface ObjectChange {
  readonly what: 'object'
  readonly resource: string
  readonly id: string
  readonly before?: StoredObject
  readonly after?: StoredObject
  /** The version the writer said it had seen; absent for a creation. */
  readonly believed?: number
}

export interface RecordChange {
  readonly what: 'record'
  readonly id: string
  readonly before?: RecordState
  readonly after?: RecordState
}

export type Change = LeaseChange | ObjectChange | RecordChange

/** What changed together. */
export interface Write {
  readonly by: Process
  /** The true time. */
  readonly atMs: number
  readonly changes: readonly Change[]
}

export type Witness = (write: Write) => void

export interface Observing {
  readonly memory: Memory
  readonly by: Process
  readonly nowMs: () => number
  /** Makes the memory go by this process's clock while it acts. */
  readonly withClock: <T>(by: Process, act: () => T) => T
  readonly witness: Witness
}

export function observedStore(observing: Observing): Store {
  const { memory, by, withClock } = observing
  const store = storeOver(memory)
  return {
    ...wrappedStore(store, { call: (_name, act) => withClock(by, act) }),
    leases: observedLeases(observing, store.leases),
    commit: (steps) => {
      const places = steps.flatMap(placeOf)
      return watched(observing, places, () => store.commit(steps))
    },
  }
}

/** The in-memory store does all it does before it first awaits, so the change is there at once. */
function watched<T>(
  { memory, by, nowMs, withClock, witness }: Observing,
  places: readonly Place[],
  act: () => Promise<T>,
): Promise<T> {
  const befores = places.map((place) => lookAt(memory, place))
  const outcome = withClock(by, act)
  const changes = places.flatMap((place, at) => {
    const before = befores[at]
    const after = lookAt(memory, place)
    if (before === after) return []
    return [{ ...place, ...(before && { before }), ...(after && { after }) } as Change]
  })
  if (changes.length > 0) witness({ by, atMs: nowMs(), changes })
  return outcome
}

function observedLeases(observing: Observing, leases: Leases): Leases {
  // A change of holder leaves its announcement in the same write.
  const at = (key: Key): readonly Place[] => [
    { what: 'lease', id: keyText(key) },
    { what: 'record', id: `${leaseTakenPrefix}${keyText(key)}` },
  ]
  return {
    ...leases,
    renew: (renewal) => watched(observing, [at(renewal.key)[0]!], () => leases.renew(renewal)),
    create: (lease) => {
      const { name = '', namespace = '' } = lease.metadata
      return watched(observing, at({ namespace, name }), () => leases.create(lease))
    },
    replace: (lease, believed) =>
      watched(observing, at(believed.key), () => leases.replace(lease, believed)),
    remove: (believed) => watched(observing, at(believed.key), () => leases.remove(believed)),
  }
}

// ---- places -------------------------------------------------------------------------------------

type Place =
  | Pick<LeaseChange, 'what' | 'id'>
  | Pick<RecordChange, 'what' | 'id'>
  | Pick<ObjectChange, 'what' | 'resource' | 'id' | 'believed'>

function placeOf(step: WriteStep): readonly Place[] {
  switch (step.do) {
    case 'createObject': {
      const { name = '', namespace = '' } = step.object.metadata
      const id = keyText({ namespace, name })
      return [{ what: 'object', resource: step.resource, id }]
    }
    case 'replaceObject':
    case 'deleteObject': {
      const { resource, key, version } = step.believed
      return [{ what: 'object', resource, id: keyText(key), believed: version }]
    }
    case 'declareSilent':
      return [{ what: 'lease', id: keyText(step.lease.key) }]
    case 'dropLease':
      return [{ what: 'lease', id: keyText(step.key) }]
    case 'raiseInbox':
      return [{ what: 'lease', id: `${nodeLeaseNamespace}/${step.nodeName}` }]
    case 'putRecord':
      return [{ what: 'record', id: step.name }]
    default:
      return []
  }
}

function lookAt(memory: Memory, place: Place): Change['after'] {
  if (place.what === 'lease') return memory.leases.get(place.id)
  if (place.what === 'record') return memory.records.get(place.id)
  return memory.objects.get(place.resource)?.states.get(place.id)?.lean
}

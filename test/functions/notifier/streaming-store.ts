/**
 * A store whose writes come out as stream records, encoded as the table encodes them: what a
 * simulation writes is what the notifier gets to read.
 */
import type { TakenLease, Transition } from '../../../shared/lifecycle/events/domain-event.ts'
import type { EmittedEvent } from '../../../shared/lifecycle/world.ts'
import { leaseTakenPrefix } from '../../../shared/store/announcement.ts'
import type { Item } from '../../../shared/store/dynamo/items.ts'
import { objectItem, recordItem } from '../../../shared/store/dynamo/object-items.ts'
import type { Key, Leases, Store, StoredObject, WriteStep } from '../../../shared/store/ports.ts'
import type { StreamRecord } from '../../../shared/store/stream-record.ts'

export interface StreamingStore {
  readonly store: Store
  /** Grows with every write, in their order. */
  readonly stream: readonly StreamRecord[]
  /** What each of them should say, taken from the store and not from its encoding. */
  readonly transitions: readonly Transition[]
}

export function streamingStore(inner: Store, clock: () => number): StreamingStore {
  const stream: StreamRecord[] = []
  const transitions: Transition[] = []
  const append: Append = (transition, old, now) => {
    const { partition, sort } = (now ?? old)!
    transitions.push(transition)
    stream.push({
      eventName: old ? (now ? 'MODIFY' : 'REMOVE') : 'INSERT',
      dynamodb: {
        Keys: { partition: partition!, sort: sort! },
        ...(old && { OldImage: old }),
        ...(now && { NewImage: now }),
        SequenceNumber: String(1_000 + stream.length),
        ApproximateCreationDateTime: Math.floor(clock() / 1_000),
      },
    })
  }
  const objectAt = ({ resource, key }: Pick<StoredObject, 'resource' | 'key'>) =>
    inner.objects.get(resource, key, 'lean')
  const itemOf = (lean: StoredObject | undefined, emits?: Emits) =>
    lean && objectItem({ lean, ...(emits?.length && { emits }) }, { attemptId: 'test' })

  const commit = async (steps: readonly WriteStep[]) => {
    const places = steps.flatMap(placeOf)
    const befores = await Promise.all(places.map(objectAt))
    const outcome = await inner.commit(steps)
    const afters = await Promise.all(places.map(objectAt))
    if (outcome.kind === 'outrun') return outcome
    for (const at of places.keys()) {
      const [before, after] = [befores[at], afters[at]]
      const seenAtMs = Math.floor(clock() / 1_000) * 1_000
      const { emits } = places[at]!
      const ends = {
        ...(before && { before }),
        ...(after && { after }),
        ...(emits?.length && { emits }),
      }
      append({ kind: 'object', ...ends, seenAtMs }, itemOf(before), itemOf(after, emits))
    }
    return outcome
  }
  const store = { ...inner, leases: announcingLeases(inner, append), commit }
  return { store, stream, transitions }
}

type Append = (transition: Transition, old: Item | undefined, now: Item | undefined) => void

type Emits = readonly EmittedEvent[]

interface Place {
  readonly resource: string
  readonly key: Key
  readonly emits?: Emits
}

function placeOf(step: WriteStep): readonly Place[] {
  if (step.do === 'replaceObject') {
    const { believed, emits = [] } = step
    return [{ resource: believed.resource, key: believed.key, emits }]
  }
  if (step.do === 'deleteObject') return [step.believed]
  if (step.do !== 'createObject') return []
  const { name = '', namespace = '' } = step.object.metadata
  return [{ resource: step.resource, key: { namespace, name } }]
}

/** A lease is taken by a write to its own table, which announces it in this one. */
function announcingLeases(inner: Store, append: Append): Leases {
  const announcement = async (key: Key) => {
    const name = `${leaseTakenPrefix}${key.namespace}/${key.name}`
    const found = await inner.records.get<TakenLease>(name)
    return found && { ...found, item: recordItem(found, 'test') }
  }
  const announcing = async <T>(key: Key, write: () => Promise<T>): Promise<T> => {
    const old = await announcement(key)
    const outcome = await write()
    const now = await announcement(key)
    if (now && now.version !== old?.version)
      append({ kind: 'leaseTaken', taken: now.value }, old?.item, now.item)
    return outcome
  }
  return {
    ...inner.leases,
    create: (lease) => {
      const { name = '', namespace = '' } = lease.metadata
      return announcing({ namespace, name }, () => inner.leases.create(lease))
    },
    replace: (lease, believed) =>
      announcing(believed.key, () => inner.leases.replace(lease, believed)),
  }
}

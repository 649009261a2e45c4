/** Every transition of a simulated world arrives on a bus that fails, without repeats exactly as decided. */
import { expect, it } from 'vitest'
import type {
  DomainEvent,
  TakenLease,
  Transition,
} from '../../shared/lifecycle/events/domain-event.ts'
import { domainEvents } from '../../shared/lifecycle/events/domain-events.ts'
import { leaseTakenPrefix } from '../../shared/store/announcement.ts'
import type { Item } from '../../shared/store/dynamo/items.ts'
import { objectItem, recordItem } from '../../shared/store/dynamo/object-items.ts'
import { memoryStore } from '../../shared/store/memory/store.ts'
import type { StreamRecord } from '../../shared/store/stream-record.ts'
import { testClock } from '../contract/rig.ts'
import { drain, firsts, stage, testBus, testNotifier } from '../functions/notifier/rig.ts'
import type { Change, ObjectChange, RecordChange, Write } from './observed-store.ts'
import { seededRng } from './rng.ts'
import { simulate } from './world.ts'

interface Told {
  readonly transition: Transition
  readonly record: StreamRecord
}

const told = (write: Write): readonly Told[] =>
  write.changes.flatMap((change) => tellOf(change, write.atMs))

function tellOf(change: Change, atMs: number): readonly Told[] {
  if (change.what === 'object') return [objectTold(change, atMs)]
  const isTaken = change.what === 'record' && change.id.startsWith(leaseTakenPrefix)
  return isTaken && change.after ? [leaseTold(change, atMs)] : []
}

function objectTold({ before, after }: ObjectChange, atMs: number): Told {
  const seenAtMs = Math.floor(atMs / 1_000) * 1_000
  const ends = { ...(before && { before }), ...(after && { after }) }
  const item = (lean: ObjectChange['after']) =>
    lean && objectItem({ lean }, { attemptId: 'simulation' })
  const record = recordOf(item(before), item(after), atMs)
  return { transition: { kind: 'object', ...ends, seenAtMs } as Transition, record }
}

function leaseTold({ id: name, before, after }: RecordChange, atMs: number): Told {
  const item = (state: RecordChange['after']) =>
    state && recordItem({ name, ...state }, 'simulation')
  const taken = after!.value as TakenLease
  return {
    transition: { kind: 'leaseTaken', taken },
    record: recordOf(item(before), item(after), atMs),
  }
}

function recordOf(old: Item | undefined, now: Item | undefined, atMs: number): StreamRecord {
  const { partition, sort } = (now ?? old)!
  return {
    eventName: old ? (now ? 'MODIFY' : 'REMOVE') : 'INSERT',
    dynamodb: {
      Keys: { partition: partition!, sort: sort! },
      ...(old && { OldImage: old }),
      ...(now && { NewImage: now }),
      ApproximateCreationDateTime: Math.floor(atMs / 1_000),
    },
  }
}

/** Fails one event in five, and dies after one call in ten, when the bus has heard already. */
function faultyBus(seed: number) {
  const rng = seededRng(seed)
  const bus = testBus(() => (rng.chance(0.2) ? 'again' : 'delivered'))
  const publish = async (events: readonly DomainEvent[]) => {
    const verdicts = await bus.publish(events)
    if (rng.chance(0.1)) throw new Error('the process died here')
    return verdicts
  }
  return { heard: bus.heard, publish }
}

const byId = (events: readonly DomainEvent[]) =>
  events.toSorted((one, other) => (one.id < other.id ? -1 : 1))

it.each([3, 5, 20])('every transition of world %i arrives as it was decided', async (seed) => {
  const all: Told[] = []
  const witness = (write: Write) => void all.push(...told(write))
  await simulate({ seed, hours: 0.3, nodes: 8, zones: 2, witness })
  const stream = all.map(({ record }, at) => ({
    ...record,
    dynamodb: { ...record.dynamodb, SequenceNumber: String(1_000 + at) },
  }))
  const decided = all.flatMap(({ transition }) => domainEvents(transition, stage))
  const clock = testClock(Date.UTC(2026, 0, 1))
  const bus = faultyBus(seed)
  const patient = { giveUpAfterMs: Number.POSITIVE_INFINITY }
  const { notify } = testNotifier({ clock, store: memoryStore({ clock }) }, bus, patient)
  expect(await drain(notify, stream, { batch: 25, runs: 20_000 })).toBe('drained')
  expect(decided.length).toBeGreaterThan(20)
  expect(byId(firsts(bus.heard))).toEqual(byId(decided))
})

import { describe, expect, it } from 'vitest'
import type { PublishResult } from '../../../functions/notifier/bus.ts'
import type { TimedEvent } from '../../../shared/lifecycle/events/core-events.ts'
import type { DomainEvent } from '../../../shared/lifecycle/events/domain-event.ts'
import type { StreamRecord } from '../../../shared/store/stream-record.ts'
import {
  byObject,
  drain,
  erase,
  firsts,
  goodBus,
  idsOf,
  node,
  stage,
  startMs,
  testBus,
  testNotifier,
  type World,
  world,
  write,
} from './rig.ts'

const hourMs = 60 * 60 * 1_000

/** Two hosts register; one falls silent and comes back, the other is cordoned and deleted. */
async function twoHosts(): Promise<World> {
  const its = world()
  await write(its, 'nodes', node('a'))
  await write(its, 'nodes', node('b'))
  await write(its, 'nodes', node('a', 'Unknown'))
  await write(its, 'nodes', node('b', 'True', { unschedulable: true }))
  await write(its, 'nodes', node('a', 'True'))
  await erase(its, 'nodes', 'b')
  return its
}

const named = (name: string) => (event: DomainEvent) => event.detail.object.name === name
const failing = (isIt: (event: DomainEvent) => boolean, kind: PublishResult['kind']) =>
  testBus((event) => (isIt(event) ? kind : 'delivered'))

describe('a bus that works', () => {
  it('hears everything once, in order, as it was decided', async () => {
    const its = await twoHosts()
    const bus = goodBus()
    const { notify } = testNotifier(its, bus)
    expect(await notify({ Records: its.stream })).toEqual({ batchItemFailures: [] })
    expect(idsOf(bus.heard).toSorted()).toEqual(idsOf(its.decided()).toSorted())
    expect(byObject(bus.heard)).toEqual(byObject(its.decided()))
    expect(firsts(bus.heard)).toHaveLength(bus.heard.length)
  })

  it('hears the same ids when the stream repeats itself', async () => {
    const its = await twoHosts()
    const bus = goodBus()
    const { notify } = testNotifier(its, bus)
    await notify({ Records: its.stream.flatMap((record) => [record, record]) })
    expect(new Set(idsOf(bus.heard))).toEqual(new Set(idsOf(its.decided())))
    expect(byObject(firsts(bus.heard))).toEqual(byObject(its.decided()))
  })

  it('does not care how the records of different objects are interleaved', async () => {
    const its = await twoHosts()
    const shards = Map.groupBy(its.stream, ({ dynamodb }) => dynamodb!.Keys!.sort!.S!)
    const bus = goodBus()
    await testNotifier(its, bus).notify({ Records: [...shards.values()].reverse().flat() })
    expect(byObject(bus.heard)).toEqual(byObject(its.decided()))
  })

  it('hears that a lease was taken', async () => {
    const its = world()
    const metadata = { namespace: 'default', name: 'lock', uid: 'uid-of-lock' }
    await its.store.leases.create({ metadata, spec: { holderIdentity: 'me' } })
    const bus = goodBus()
    await testNotifier(its, bus).notify({ Records: its.stream })
    expect(bus.heard.map((event) => event.detail.change)).toMatchObject([{ from: '', to: 'me' }])
  })

  it('hears nothing, and is not asked, when there is nothing to tell', async () => {
    const its = world()
    await write(its, 'namespaces', { metadata: { name: 'default' } })
    const bus = goodBus()
    expect(await testNotifier(its, bus).notify({ Records: its.stream })).toEqual({
      batchItemFailures: [],
    })
    expect(bus.calls).toBe(0)
  })
})

describe('the core/v1 Events', () => {
  it('are as few however often they are told, and lapse after an hour', async () => {
    const its = await twoHosts()
    const { notify } = testNotifier(its, goodBus())
    const Records = [...its.stream]
    await notify({ Records })
    await notify({ Records })
    const { items } = await its.store.objects.list('events', {})
    expect(items.map(({ fields }) => `${fields['involvedObject.name']} ${fields.reason}`)).toEqual([
      'a RegisteredNode',
      'b RegisteredNode',
      'b RemovingNode',
    ])
    its.clock.advance(hourMs + 1_000)
    expect((await its.store.objects.list('events', {})).items).toEqual([])
  })

  it('come back through the stream and are no news', async () => {
    const its = await twoHosts()
    const bus = goodBus()
    const { notify } = testNotifier(its, bus)
    const before = its.stream.length
    await notify({ Records: [...its.stream] })
    const own = its.stream.slice(before)
    const heard = bus.heard.length
    expect(own.length).toBeGreaterThan(0)
    await notify({ Records: own })
    expect(bus.heard).toHaveLength(heard)
    expect(its.stream).toHaveLength(before + own.length)
  })

  it('that cannot be written hold back their own event, not the others', async () => {
    const its = await twoHosts()
    const bus = goodBus()
    const recorder = {
      record: async ({ involvedObject }: TimedEvent) => {
        if (involvedObject.name === 'a') throw new Error('the table is busy')
      },
      flush: async () => {},
    }
    const { batchItemFailures } = await testNotifier(its, bus, { recorder }).notify({
      Records: its.stream,
    })
    expect(batchItemFailures).toEqual([{ itemIdentifier: '1000' }])
    expect(bus.heard.some(named('a'))).toBe(false)
    expect(bus.heard.filter(named('b'))).toHaveLength(its.decided().filter(named('b')).length)
  })
})

it('what TTL removes is no news', async () => {
  const its = await twoHosts()
  const bus = goodBus()
  const userIdentity = { principalId: 'dynamodb.amazonaws.com', type: 'Service' }
  const lapsed = its.stream.slice(-1).map((record) => ({ ...record, userIdentity }))
  await testNotifier(its, bus).notify({ Records: lapsed })
  expect(bus.calls).toBe(0)
})

describe('an event that fails', () => {
  it('is tried again alone, a few times, with pauses', async () => {
    const its = await twoHosts()
    const asked: string[][] = []
    const bus = testBus((event, call) => {
      asked[call - 1] = [...(asked[call - 1] ?? []), event.id]
      return call === 1 && event['detail-type'] === 'NodeReady' && named('a')(event)
        ? 'again'
        : 'delivered'
    })
    const { notify } = testNotifier(its, bus)
    expect(await notify({ Records: its.stream })).toEqual({ batchItemFailures: [] })
    const retried = asked[1]!.filter((id) => asked[0]!.includes(id))
    expect(retried).toHaveLength(1)
    expect(its.clock()).toBeGreaterThan(startMs + 6)
    expect(firsts(bus.heard)).toHaveLength(bus.heard.length)
  })

  it('holds back what happened to its object later, and nothing else', async () => {
    const its = await twoHosts()
    const bus = failing(({ id }) => id.startsWith('NodeUnreachable'), 'again')
    const held: unknown[] = []
    const { notify, deadLetters } = testNotifier(its, bus, {
      onHeldUp: (where) => held.push(where),
    })
    const { batchItemFailures } = await notify({ Records: its.stream })
    expect(held).toMatchObject([{ why: 'the test said again' }])
    // The third record is the first that is not finished: the stream goes on there.
    expect(batchItemFailures).toEqual([{ itemIdentifier: '1002' }])
    expect(bus.heard.filter(named('a')).map((event) => event['detail-type'])).toEqual([
      'NodeRegistered',
      'NodeReady',
    ])
    expect(bus.heard.filter(named('b'))).toHaveLength(its.decided().filter(named('b')).length)
    expect(deadLetters).toEqual([])
  })

  it('goes to the dead-letter queue whole when the bus will never take it', async () => {
    const its = await twoHosts()
    const refused = ({ id }: DomainEvent) => id.startsWith('NodeUnreachable')
    const bus = failing(refused, 'refused')
    const { notify, deadLetters, undelivered } = testNotifier(its, bus)
    const decided = its.decided()
    expect(await notify({ Records: its.stream })).toEqual({ batchItemFailures: [] })
    const event = decided.find(refused)!
    expect(deadLetters).toEqual([{ why: 'the test said refused', event }])
    expect(undelivered).toEqual([1])
    expect(bus.heard).toHaveLength(decided.length - 1)
  })

  it('waits while it is young and is parked when it is old', async () => {
    const its = await twoHosts()
    const decided = its.decided()
    const bus = testBus(() => 'again')
    const { notify, deadLetters } = testNotifier(its, bus)
    const stream = [...its.stream]
    expect(await drain(notify, stream, { runs: 20 })).toBe('stuck')
    expect(deadLetters).toEqual([])
    its.clock.advance(hourMs)
    expect(await drain(notify, stream)).toBe('drained')
    const parked = deadLetters.flatMap((letter) => ('event' in letter ? [letter.event] : []))
    expect(byObject(parked)).toEqual(byObject(decided))
  })

  it('stays in the stream when neither bus nor queue has it', async () => {
    const its = await twoHosts()
    its.clock.advance(hourMs)
    const send = async () => {
      throw new Error('the queue is down, too')
    }
    const bus = testBus(() => 'again')
    const { notify, undelivered } = testNotifier(its, bus, { deadLetters: { send } })
    const { batchItemFailures } = await notify({ Records: its.stream })
    expect(batchItemFailures).toEqual([{ itemIdentifier: '1000' }])
    expect(undelivered).toEqual([])
  })

  it('does not outlast the run: a table that hangs is not asked for everything', async () => {
    const its = world()
    for (let at = 0; at < 100; at += 1) await write(its, 'nodes', node(`host-${at}`, 'False'))
    let asked = 0
    const recorder = {
      record: async () => {
        asked += 1
        its.clock.advance(600)
        throw new Error('the table is down')
      },
      flush: async () => {},
    }
    const bus = goodBus()
    await testNotifier(its, bus, { recorder }).notify({ Records: its.stream })
    expect(asked).toBeLessThanOrEqual(60)
    expect(bus.calls).toBe(0)
  })

  it('does not outlast the run: a bus that hangs leaves the rest to the next', async () => {
    const its = await twoHosts()
    const bus = testBus(() => {
      its.clock.advance(20_000)
      return 'again'
    })
    await testNotifier(its, bus).notify({ Records: its.stream })
    expect(bus.calls).toBeLessThanOrEqual(2)
  })
})

describe('a poisoned record', () => {
  const poisons: readonly { when: string; spoil: (record: StreamRecord) => StreamRecord }[] = [
    { when: 'is of a newer schema', spoil: (record) => withImage(record, 'schema', { N: '99' }) },
    { when: 'is not JSON', spoil: (record) => withImage(record, 'object', { S: '{' }) },
    {
      when: 'has taints that are no list',
      spoil: (record) => withImage(record, 'object', { S: '{"metadata":{},"spec":{"taints":7}}' }),
    },
    {
      when: 'has lost its object',
      spoil: (record) => withImage(record, 'object', { NULL: true }),
    },
  ]

  it.each(poisons)('that $when is parked whole, and the rest is told', async ({ spoil }) => {
    const its = await twoHosts()
    const Records = its.stream.map((record, at) => (at === 2 ? spoil(record) : record))
    const bus = goodBus()
    const { notify, deadLetters, undelivered } = testNotifier(its, bus)
    const decided = its.decided()
    expect(await notify({ Records })).toEqual({ batchItemFailures: [] })
    expect(deadLetters).toMatchObject([{ record: Records[2] }])
    expect(undelivered).toEqual([1])
    expect(bus.heard.length).toBeGreaterThanOrEqual(decided.length - 2)
  })
})

function withImage(record: StreamRecord, name: string, value: object): StreamRecord {
  const NewImage = { ...record.dynamodb!.NewImage, [name]: value } as never
  return { ...record, dynamodb: { ...record.dynamodb, NewImage } }
}

it('says its stage in every event', async () => {
  const its = await twoHosts()
  const bus = goodBus()
  await testNotifier(its, bus).notify({ Records: its.stream })
  expect(new Set(bus.heard.map(({ detail }) => detail.stage))).toEqual(new Set([stage]))
})

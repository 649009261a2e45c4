import { describe, expect, it } from 'vitest'
import { replayUndelivered } from '../../../functions/notifier/replay.ts'
import {
  decodeUndelivered,
  encodeUndelivered,
} from '../../../functions/notifier/undelivered-event.ts'
import { eventRecorder } from '../../../shared/store/event-recorder.ts'
import type { StreamRecord } from '../../../shared/store/stream-record.ts'
import { memoryDeadLetters } from './memory-dead-letters.ts'
import { goodBus, idsOf, node, stage, testBus, world, write } from './rig.ts'

async function host() {
  const its = world()
  await write(its, 'nodes', node('a', 'False'))
  const [event] = its.decided()
  const [record] = its.stream
  return { ...its, event: event!, record: record!, recorder: eventRecorder(its.store, its.clock) }
}

describe('replaying', () => {
  it('delivers an event and empties the queue', async () => {
    const { event, recorder } = await host()
    const queue = memoryDeadLetters()
    await queue.send({ why: 'the bus was down', event })
    const bus = goodBus()
    const replayed = await replayUndelivered({ stage, queue, bus, recorder })
    expect(replayed).toEqual({ delivered: 1, left: [] })
    expect(bus.heard).toEqual([event])
    expect(queue.size).toBe(0)
  })

  it('reads a record again that an older version could not, and writes its Events', async () => {
    const { store, event, record, recorder } = await host()
    const queue = memoryDeadLetters()
    await queue.send({ why: 'its schema is 2, this version knows 1', record })
    const bus = goodBus()
    await replayUndelivered({ stage, queue, bus, recorder })
    expect(idsOf(bus.heard)).toEqual([event.id])
    expect(queue.size).toBe(0)
    expect((await store.objects.list('events', {})).items).toHaveLength(1)
  })

  it('leaves what still fails, says why, and ends', async () => {
    const { event, recorder } = await host()
    const poisoned: StreamRecord = { dynamodb: { Keys: { partition: { S: 'nodes#1' } } } }
    const broken = { ...poisoned, dynamodb: { ...poisoned.dynamodb, NewImage: {} } }
    const queue = memoryDeadLetters(['not ours'])
    await queue.send({ why: 'down', event })
    await queue.send({ why: 'poisoned', record: broken })
    const bus = testBus(() => 'again')
    const { delivered, left } = await replayUndelivered({ stage, queue, bus, recorder })
    expect(delivered).toBe(0)
    expect(left.map(({ why }) => why)).toEqual([
      expect.stringContaining('Cannot read'),
      'the test said again',
      'not a letter of the notifier',
    ])
    expect(queue.size).toBe(3)
  })

  it('stops after as many as it was asked for', async () => {
    const { event, recorder } = await host()
    const queue = memoryDeadLetters()
    for (let at = 0; at < 25; at += 1) await queue.send({ why: 'down', event })
    const replayed = await replayUndelivered({ stage, queue, bus: goodBus(), recorder, most: 12 })
    expect(replayed.delivered).toBe(12)
    expect(queue.size).toBe(13)
  })
})

describe('a letter', () => {
  it.each([
    { when: 'it is small', length: 10 },
    { when: 'both images are as large as can be', length: 700 * 1024 },
  ])('comes back as it was when $when', ({ length }) => {
    const text = Array.from({ length }, (_, at) => String.fromCharCode(33 + ((at * at) % 90))).join(
      '',
    )
    const letter = { why: 'x', record: { dynamodb: { NewImage: { object: { S: text } } } } }
    const body = encodeUndelivered(letter)
    expect(decodeUndelivered(body)).toEqual(letter)
    expect(Buffer.byteLength(body)).toBeLessThan(1024 * 1024)
  })
})

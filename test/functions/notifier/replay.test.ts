import { describe, expect, it } from 'vitest'
import { storedDiary } from '../../../functions/notifier/diary.ts'
import { letterFrom, letterText } from '../../../functions/notifier/letter.ts'
import { replayUndelivered } from '../../../functions/notifier/replay.ts'
import type { StreamRecord } from '../../../shared/store/stream-record.ts'
import { memoryLetters } from './memory-letters.ts'
import { goodBus, idsOf, node, stage, testBus, world, write } from './rig.ts'

async function host() {
  const its = world()
  await write(its, 'nodes', node('a', 'False'))
  const [event] = its.decided()
  const [record] = its.stream
  return { ...its, event: event!, record: record!, diary: storedDiary(its.store, its.clock) }
}

describe('replaying', () => {
  it('delivers an event, writes it down and empties the queue', async () => {
    const { store, event, diary } = await host()
    const letters = memoryLetters()
    await letters.park({ why: 'the bus was down', event })
    const bus = goodBus()
    const replayed = await replayUndelivered({ stage, letters, bus, diary })
    expect(replayed).toEqual({ delivered: 1, left: [] })
    expect(bus.heard).toEqual([event])
    expect(letters.size).toBe(0)
    expect((await store.objects.list('events', {})).items).toHaveLength(1)
  })

  it('reads a record again that an older version could not', async () => {
    const { event, record, diary } = await host()
    const letters = memoryLetters()
    await letters.park({ why: 'its schema is 2, this version knows 1', record })
    const bus = goodBus()
    await replayUndelivered({ stage, letters, bus, diary })
    expect(idsOf(bus.heard)).toEqual([event.id])
    expect(letters.size).toBe(0)
  })

  it('leaves what still fails, says why, and ends', async () => {
    const { event, diary } = await host()
    const poisoned: StreamRecord = { dynamodb: { Keys: { partition: { S: 'nodes#1' } } } }
    const broken = { ...poisoned, dynamodb: { ...poisoned.dynamodb, NewImage: {} } }
    const letters = memoryLetters(['not ours'])
    await letters.park({ why: 'down', event })
    await letters.park({ why: 'poisoned', record: broken })
    const bus = testBus(() => 'again')
    const { delivered, left } = await replayUndelivered({ stage, letters, bus, diary })
    expect(delivered).toBe(0)
    expect(left.map(({ why }) => why)).toEqual([
      expect.stringContaining('Cannot read'),
      'the test said again',
      'not a letter of the notifier',
    ])
    expect(letters.size).toBe(3)
  })

  it('stops after as many as it was asked for', async () => {
    const { event, diary } = await host()
    const letters = memoryLetters()
    for (let at = 0; at < 25; at += 1) await letters.park({ why: 'down', event })
    const replayed = await replayUndelivered({ stage, letters, bus: goodBus(), diary, most: 12 })
    expect(replayed.delivered).toBe(12)
    expect(letters.size).toBe(13)
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
    const body = letterText(letter)
    expect(letterFrom(body)).toEqual(letter)
    expect(Buffer.byteLength(body)).toBeLessThan(1024 * 1024)
  })
})

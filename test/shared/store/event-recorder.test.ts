import { describe, expect, it } from 'vitest'
import { events as eventResource } from '../../../shared/kube/event/resource.ts'
import type { Event } from '../../../shared/kube/objects.ts'
import type { TimedEvent } from '../../../shared/lifecycle/events/core-events.ts'
import { eventRecorder } from '../../../shared/store/event-recorder.ts'
import { memoryStore } from '../../../shared/store/memory/store.ts'
import { testClock } from '../../contract/rig.ts'

const HOUR_MS = 3_600_000

const about = (name: string, version: number, reason = 'NodeNotReady'): TimedEvent => ({
  source: { component: 'node-controller' },
  type: 'Normal',
  reason,
  message: `Node ${name} status is now: ${reason}`,
  involvedObject: { apiVersion: 'v1', kind: 'Node', name, uid: `uid-${name}` },
  version,
  time: '2026-01-01T00:00:00Z',
})

function rig() {
  const clock = testClock(Date.UTC(2026, 0, 1))
  const store = memoryStore({ clock })
  const events = async () =>
    (await store.objects.list('events', {})).items.map(({ object }) => object as Event)
  return { clock, store, events, recorder: eventRecorder(store, clock) }
}

describe('the recorder', () => {
  it('writes an Event once, however often its change is told', async () => {
    const { recorder, events } = rig()
    await recorder.record(about('a', 1))
    await recorder.record(about('a', 1))
    expect(await events()).toMatchObject([{ reason: 'NodeNotReady', count: 1 }])
  })

  it('counts the same Event of another change', async () => {
    const { recorder, events } = rig()
    for (const version of [1, 2, 3, 2]) await recorder.record(about('a', version))
    expect(await events()).toMatchObject([{ count: 3 }])
  })

  it('counts rightly together with other processes', async () => {
    const { store, clock, events } = rig()
    const recorders = [1, 2, 3].map(() => eventRecorder(store, clock))
    for (const version of [1, 2, 3])
      await Promise.all(recorders.map((recorder) => recorder.record(about('a', version))))
    expect(await events()).toMatchObject([{ count: 3 }])
  })

  it('forgets an Event an hour after it was last told', async () => {
    const { recorder, events, clock } = rig()
    await recorder.record(about('a', 1))
    clock.advance(HOUR_MS - 1_000)
    await recorder.record(about('a', 2))
    clock.advance(HOUR_MS - 1_000)
    expect(await events()).toMatchObject([{ count: 2 }])
    clock.advance(2_000)
    await recorder.record(about('a', 3))
    expect(await events()).toMatchObject([{ count: 1 }])
  })

  it('combines what is too much into one Event about the fleet for each reason', async () => {
    const { recorder, events } = rig()
    for (let at = 0; at < 700; at += 1) await recorder.record(about(`host-${at}`, at))
    for (let at = 0; at < 50; at += 1) await recorder.record(about(`host-${at}`, 1, 'RemovingNode'))
    await recorder.flush()
    await recorder.flush()
    const found = await events()
    expect(found).toHaveLength(502)
    const combined = found.filter(({ involvedObject }) => involvedObject.kind === 'Fleet')
    expect(combined.map(({ reason, count, source }) => [reason, count, source])).toEqual(
      expect.arrayContaining([
        ['NodeNotReady', 200, { component: 'leasehold' }],
        ['RemovingNode', 50, { component: 'leasehold' }],
      ]),
    )
    expect(combined[0]?.message).toMatch(/^\(combined from similar events\): Node host-\d+ status/)
  })

  it('counts on in the same Event when more is combined later', async () => {
    const { recorder, events, clock } = rig()
    for (const round of [0, 1]) {
      for (let at = 0; at < 600; at += 1) await recorder.record(about(`host-${round}-${at}`, 1))
      await recorder.flush()
      clock.advance(1)
    }
    const combined = (await events()).filter(
      ({ involvedObject }) => involvedObject.kind === 'Fleet',
    )
    expect(combined).toMatchObject([{ count: 700 }])
  })

  it('needs no second admission for what the store refused', async () => {
    const { store, clock, events } = rig()
    let isDown = true
    const commit: typeof store.commit = (steps) =>
      isDown ? Promise.reject(new Error('down')) : store.commit(steps)
    const recorder = eventRecorder({ commit }, clock)
    const event = about('a', 1)
    for (let tries = 0; tries < 30; tries += 1)
      await expect(recorder.record(event)).rejects.toThrow('down')
    isDown = false
    await recorder.record(event)
    expect(await events()).toHaveLength(1)
  })
})

describe('a core/v1 Event', () => {
  const written = async (event: TimedEvent) => {
    const { recorder, events } = rig()
    await recorder.record(event)
    return (await events())[0]!
  }

  it('about a node is in default, about a pod beside the pod', async () => {
    expect((await written(about('a', 1))).metadata.namespace).toBe('default')
    const involvedObject = { kind: 'Pod', namespace: 'shop', name: 'web' }
    expect((await written({ ...about('a', 1), involvedObject })).metadata.namespace).toBe('shop')
  })

  it('names its source twice, as client-go does', async () => {
    const source = { component: 'kubelet', host: 'a' }
    expect(await written({ ...about('a', 1), source })).toMatchObject({
      source,
      reportingComponent: 'kubelet',
      reportingInstance: 'a',
    })
  })

  it('is one the api itself would accept', async () => {
    expect(eventResource.validateCreate(await written(about('n'.repeat(253), 1)))).toEqual([])
  })

  it('has a name and a uid that follow from what it says', async () => {
    const [one, again] = [await written(about('a', 1)), await written(about('a', 1))]
    const other = await written(about('a', 1, 'RemovingNode'))
    expect(again).toEqual(one)
    expect(one.metadata.name).toMatch(/^a\.[0-9a-f]{16}$/)
    expect(other.metadata.name).not.toBe(one.metadata.name)
    expect(other.metadata.uid).not.toBe(one.metadata.uid)
    expect(one.metadata.uid).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-/)
  })

  it('keeps its first time and moves its last', async () => {
    const { recorder, events } = rig()
    await recorder.record(about('a', 1))
    await recorder.record({ ...about('a', 2), time: '2026-01-01T00:01:00Z' })
    expect(await events()).toMatchObject([
      { firstTimestamp: '2026-01-01T00:00:00Z', lastTimestamp: '2026-01-01T00:01:00Z', count: 2 },
    ])
  })
})

describe('a source', () => {
  const countOf = async (rigged: ReturnType<typeof rig>) =>
    (await rigged.events()).reduce((sum, { count = 0 }) => sum + count, 0)

  it('says 25 things about one object at once, then one every five minutes', async () => {
    const rigged = rig()
    for (let at = 0; at < 40; at += 1) await rigged.recorder.record(about('a', at))
    expect(await countOf(rigged)).toBe(25)
    rigged.clock.advance(299_000)
    await rigged.recorder.record(about('a', 100))
    expect(await countOf(rigged)).toBe(25)
    rigged.clock.advance(1_000)
    for (let at = 0; at < 40; at += 1) await rigged.recorder.record(about('a', 101 + at))
    expect(await countOf(rigged)).toBe(26)
  })

  it('does not use up what another may say, nor about another object', async () => {
    const rigged = rig()
    for (let at = 0; at < 40; at += 1) await rigged.recorder.record(about('a', at))
    await rigged.recorder.record({ ...about('a', 50), source: { component: 'kubelet' } })
    await rigged.recorder.record(about('b', 50))
    expect(await countOf(rigged)).toBe(27)
  })

  it('says 500 things at once, then one a second, whatever the clock does', async () => {
    const rigged = rig()
    const objects = async () => (await rigged.events()).filter(isOfNode).length
    const isOfNode = ({ involvedObject }: Event) => involvedObject.kind === 'Node'
    const many = async (round: number) => {
      for (let at = 0; at < 600; at += 1)
        await rigged.recorder.record(about(`host-${round}-${at}`, at))
    }
    await many(1)
    expect(await objects()).toBe(500)
    rigged.clock.advance(-60_000)
    await many(2)
    rigged.clock.advance(60_000)
    await many(3)
    expect(await objects()).toBe(500)
    rigged.clock.advance(60_000)
    await many(4)
    expect(await objects()).toBe(560)
  })
})

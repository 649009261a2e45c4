/** Ten thousand hosts with pods fall silent at once: how many Events are written, and who is told? */
import { expect, it } from 'vitest'
import type { Event, KubeObject } from '../../../shared/kube/objects.ts'
import type { EmittedEvent } from '../../../shared/lifecycle/world.ts'
import { objectItem } from '../../../shared/store/dynamo/object-items.ts'
import { memoryStore } from '../../../shared/store/memory/store.ts'
import type { StreamRecord } from '../../../shared/store/stream-record.ts'
import { testClock } from '../../contract/rig.ts'
import { drain, goodBus, node, startMs, testNotifier } from './rig.ts'

const HOSTS = 10_000
const unreachable = { key: 'node.kubernetes.io/unreachable', effect: 'NoSchedule' as const }

function changed(
  resource: string,
  at: number,
  ends: readonly [KubeObject, KubeObject],
): StreamRecord {
  const emits: readonly EmittedEvent[] = ['NodeNotReady']
  const [before, after] = ends.map((object, place) => {
    const { name = '', namespace = '' } = object.metadata
    const version = (startMs + at + place) * 1_000
    const identity = { resource, key: { namespace, name }, uid: `uid-${name}`, fields: {} }
    const lean = { ...identity, version, createdVersion: 1, lean: true as const, object }
    return objectItem({ lean, ...(place === 1 && { emits }) }, { attemptId: 'test' })
  })
  const { partition, sort } = after!
  return {
    eventName: 'MODIFY',
    dynamodb: {
      Keys: { partition: partition!, sort: sort! },
      OldImage: before!,
      NewImage: after!,
      SequenceNumber: `${resource}-${at}`,
    },
  }
}

const hosts = Array.from({ length: HOSTS }, (_, at) => {
  const name = `host-${at}`
  return changed('nodes', at, [node(name), node(name, 'Unknown', { taints: [unreachable] })])
})
const pods = Array.from({ length: HOSTS }, (_, at) => {
  const pod = { metadata: { namespace: 'shop', name: `pod-${at}` } }
  return changed('pods', at, [pod, pod])
})

it('about a thousand Events are written, the rest is counted, and the bus hears of every host', async () => {
  const clock = testClock(startMs)
  const store = memoryStore({ clock })
  const bus = goodBus()
  const { notify } = testNotifier({ clock, store }, bus)
  expect(await drain(notify, [...hosts, ...pods], { batch: 500 })).toBe('drained')

  const { items } = await store.objects.list('events', {})
  const events = items.map(({ object }) => object as Event)
  const combined = events.filter(({ involvedObject }) => involvedObject.kind === 'Fleet')
  // 500 of node-controller, 500 of ours (NodeTainted), and a line for each reason and kind.
  expect(events.length - combined.length).toBe(1_000)
  expect(combined.map(({ reason, type }) => `${type} ${reason}`).sort()).toEqual([
    'Normal NodeNotReady',
    'Normal NodeTainted',
    'Warning NodeNotReady',
  ])
  const count = (all: readonly Event[]) => all.reduce((sum, each) => sum + (each.count ?? 0), 0)
  expect(count(events)).toBe(3 * HOSTS)
  const told = new Set(bus.heard.map(({ detail }) => detail.object.name))
  expect(told.size).toBe(HOSTS)
}, 60_000)

import { describe, expect, it } from 'vitest'
import {
  applyEvents,
  collectionFromList,
  type WatchEvent,
} from '../../../dashboard/api/collection.ts'

const object = (name: string, resourceVersion: string, namespace?: string) => ({
  metadata: { name, resourceVersion, ...(namespace && { namespace }) },
})
const event = (type: WatchEvent['type'], name: string, version: string): WatchEvent => ({
  type,
  object: object(name, version),
})

describe('a list kept current by a watch', () => {
  const list = collectionFromList({
    metadata: { resourceVersion: '10' },
    items: [object('a', '5'), object('b', '6')],
  })

  it.each([
    { when: 'one is added', events: [event('ADDED', 'c', '11')], names: ['a', 'b', 'c'] },
    { when: 'one changes', events: [event('MODIFIED', 'a', '11')], names: ['a', 'b'] },
    { when: 'one is deleted', events: [event('DELETED', 'a', '11')], names: ['b'] },
    {
      when: 'one goes and comes back',
      events: [event('DELETED', 'a', '11'), event('ADDED', 'a', '12')],
      names: ['a', 'b'],
    },
    { when: 'a bookmark comes', events: [event('BOOKMARK', '', '11')], names: ['a', 'b'] },
  ])('holds $names after $when', ({ events, names }) => {
    const next = applyEvents(list, events)
    expect([...next.items.keys()].sort()).toEqual(names)
    expect(next.version).toBe(events.at(-1)!.object.metadata.resourceVersion)
  })

  it('leaves what was shown before untouched', () => {
    applyEvents(list, [event('DELETED', 'a', '11')])
    expect([...list.items.keys()]).toEqual(['a', 'b'])
  })

  it('tells namesakes of two namespaces apart', () => {
    const both = collectionFromList({
      metadata: {},
      items: [object('x', '1', 'p'), object('x', '2', 'q')],
    })
    expect([...both.items.keys()]).toEqual(['p/x', 'q/x'])
  })
})

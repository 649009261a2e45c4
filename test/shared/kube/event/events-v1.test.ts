import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { eventsV1 } from '../../../../shared/kube/event/events-v1.ts'
import { events } from '../../../../shared/kube/event/resource.ts'
import type { Event, KubeObject } from '../../../../shared/kube/objects.ts'
import { toTable } from '../../../../shared/kube/table.ts'
import { create, pairs, update } from '../resource-writes.ts'

const nowMs = Date.UTC(2026, 0, 2, 3, 4, 5)
const { fromStored, toStored } = eventsV1.storedForm!
const time = '2026-01-02T03:04:00.000000Z'

const event = {
  apiVersion: 'events.k8s.io/v1',
  kind: 'Event',
  metadata: { name: 'n1.17f', namespace: 'default' },
  eventTime: time,
  regarding: { kind: 'Node', name: 'n1' },
  reportingController: 'example.com/controller',
  reportingInstance: 'controller-1',
  action: 'Look',
  reason: 'Seen',
  note: 'n1 was seen',
  type: 'Normal',
}
type V1 = ReturnType<typeof fromStored>

const word = fc.string({ maxLength: 5 })
const reference = fc.record({ kind: word, name: word, uid: word }, { requiredKeys: [] })
const stored = fc
  .record(
    {
      involvedObject: reference,
      related: reference,
      source: fc.record({ component: word, host: word }, { requiredKeys: [] }),
      reason: word,
      message: word,
      action: word,
      type: word,
      count: fc.integer({ min: 0, max: 9 }),
      series: fc.record({ count: fc.integer(), lastObservedTime: fc.constant(time) }),
      firstTimestamp: fc.constantFrom(null, '2026-01-02T03:04:00Z'),
      lastTimestamp: fc.constantFrom(null, '2026-01-02T03:04:00Z'),
      eventTime: fc.constantFrom(null, time),
      reportingComponent: word,
      reportingInstance: word,
    },
    { requiredKeys: ['involvedObject'] },
  )
  .map((members) =>
    events.withDefaults({
      apiVersion: 'v1',
      kind: 'Event',
      metadata: { name: 'e', namespace: 'default' },
      ...members,
    } as Event),
  )

describe('an event of events.k8s.io', () => {
  it('is a stored event with other names, and back', () => {
    expect(toStored(event as V1)).toEqual({
      apiVersion: 'v1',
      kind: 'Event',
      metadata: event.metadata,
      eventTime: time,
      involvedObject: event.regarding,
      reportingComponent: 'example.com/controller',
      reportingInstance: 'controller-1',
      action: 'Look',
      reason: 'Seen',
      message: 'n1 was seen',
      type: 'Normal',
      source: {},
      firstTimestamp: null,
      lastTimestamp: null,
    })
    fc.assert(
      fc.property(stored, (one) => {
        expect(toStored(fromStored(one))).toEqual(one)
        const shown = fromStored(one)
        expect(fromStored(toStored(shown))).toEqual(shown)
      }),
    )
  })

  it('prints the line that it prints as a core event', () => {
    fc.assert(
      fc.property(stored, (one) => {
        const line = (resource: typeof events, object: KubeObject) =>
          toTable({ resource, objects: [object as Event], nowMs }).rows[0]?.cells
        const v1 = eventsV1 as unknown as typeof events
        expect(line(v1, fromStored(one))).toEqual(line(events, one as Event))
      }),
    )
  })

  it('can be selected by its own names, which stand for those of a core event', () => {
    const { fieldNames } = eventsV1.storedForm!
    const known = Object.keys(events.selectable({ metadata: {}, involvedObject: {} }))
    for (const field of Object.values(fieldNames)) expect(known).toContain(field)
    expect(fieldNames['regarding.name']).toBe('involvedObject.name')
    expect(fieldNames['involvedObject.name']).toBeUndefined()
  })

  it.each([
    { when: 'it is complete', change: {}, errors: [] },
    {
      when: 'it has a series',
      change: { series: { count: 2, lastObservedTime: time } },
      errors: [],
    },
    { when: 'it has no time', change: { eventTime: null }, errors: ['eventTime Required'] },
    { when: 'its type is made up', change: { type: 'Odd' }, errors: ['type Invalid'] },
    {
      when: 'it names no controller',
      change: { reportingController: undefined },
      errors: ['reportingController Required'],
    },
    { when: 'it has no action', change: { action: '' }, errors: ['action Required'] },
    {
      when: 'its series is of one',
      change: { series: { count: 1, lastObservedTime: null } },
      errors: ['series.count Invalid', 'series.lastObservedTime Required'],
    },
    { when: 'it counts', change: { deprecatedCount: 2 }, errors: ['count Invalid'] },
    {
      when: 'it has the older source',
      change: { deprecatedSource: { component: 'x' } },
      errors: ['source Invalid'],
    },
    {
      when: 'it has an older time',
      change: { deprecatedFirstTimestamp: '2026-01-02T03:04:00Z' },
      errors: ['firstTimestamp Invalid'],
    },
    { when: 'its note is long', change: { note: 'x'.repeat(1_025) }, errors: ['message Invalid'] },
    {
      when: 'its name is none',
      change: { metadata: { ...event.metadata, name: 'Not_A_Name' } },
      errors: ['metadata.name Invalid'],
    },
  ])('when $when: $errors', ({ change, errors }) => {
    expect(pairs(create(eventsV1, { ...event, ...change } as V1).errors)).toEqual(errors)
  })

  it.each([
    {
      when: 'its series grows',
      change: { series: { count: 3, lastObservedTime: time } },
      errors: [],
    },
    {
      when: 'its series shrinks to one',
      change: { series: { count: 1, lastObservedTime: time } },
      errors: ['series.count Invalid'],
    },
    {
      when: 'it is labelled',
      change: { metadata: { ...event.metadata, labels: { a: 'b' } } },
      errors: [],
    },
    { when: 'its note changes', change: { note: 'other' }, errors: ['message Invalid'] },
    {
      when: 'it changes its reporter',
      change: { reportingController: 'example.com/other' },
      errors: ['reportingController Invalid'],
    },
    {
      when: 'it is about another',
      change: { regarding: { kind: 'Node', name: 'n2' } },
      errors: ['involvedObject Invalid'],
    },
  ])('on an update when $when: $errors', ({ change, errors }) => {
    const old = create(eventsV1, event as V1).stored
    const object = { ...old, ...change } as V1
    expect(pairs(update(eventsV1, { object, old }).errors)).toEqual(errors)
  })
})

import { describe, expect, it } from 'vitest'
import { events } from '../../../../shared/kube/event/resource.ts'
import type { Event } from '../../../../shared/kube/objects.ts'
import { toTable } from '../../../../shared/kube/table.ts'
import { create, pairs } from '../resource-writes.ts'

const nowMs = Date.UTC(2026, 0, 2, 3, 4, 5)
const event: Event = {
  metadata: { name: 'n1.17f', namespace: 'default' },
  involvedObject: { kind: 'Node', name: 'n1', uid: 'n1' },
  reason: 'NodeNotReady',
  message: ' Node n1 status is now: NodeNotReady\n',
  type: 'Normal',
  source: { component: 'node-controller' },
  firstTimestamp: '2026-01-02T02:54:05Z',
  lastTimestamp: '2026-01-02T03:03:35Z',
  count: 4,
}
const newStyle: Event = {
  metadata: event.metadata,
  involvedObject: event.involvedObject,
  eventTime: '2026-01-02T03:04:00.000000Z',
  reportingComponent: 'leasehold.dev/monitor',
  reportingInstance: 'monitor-1',
  action: 'Mark',
  reason: 'NodeNotReady',
}

const cellsOf = (one: Event) =>
  toTable({ resource: events, objects: [events.withDefaults(one)], nowMs }).rows[0]?.cells

describe('an event', () => {
  it('is a line in the order of kubectl', () => {
    expect(events.columns.map(({ name, priority }) => `${name}${priority ? '*' : ''}`)).toEqual([
      ...['Last Seen', 'Type', 'Reason', 'Object', 'Subobject*', 'Source*', 'Message'],
      ...['First Seen*', 'Count*', 'Name*'],
    ])
    expect(cellsOf(event)).toEqual([
      ...['30s', 'Normal', 'NodeNotReady', 'node/n1', '', 'node-controller'],
      ...['Node n1 status is now: NodeNotReady', '10m', 4, 'n1.17f'],
    ])
  })

  it('of the newer style shows its own times, source and count', () => {
    expect(cellsOf(newStyle)).toEqual([
      ...['5s', '', 'NodeNotReady', 'node/n1', '', 'leasehold.dev/monitor, monitor-1', ''],
      ...['5s', 1, 'n1.17f'],
    ])
    const series = { count: 7, lastObservedTime: '2026-01-02T03:04:04.000000Z' }
    expect(cellsOf({ ...newStyle, series })?.[0]).toBe('1s')
    expect(cellsOf({ ...newStyle, series })?.[8]).toBe(7)
  })

  it('is complete, unset times being null', () => {
    expect(events.withDefaults({ metadata: {}, involvedObject: {} })).toEqual({
      ...{ metadata: {}, involvedObject: {}, source: {} },
      ...{ firstTimestamp: null, lastTimestamp: null, eventTime: null },
      ...{ reportingComponent: '', reportingInstance: '' },
    })
  })

  it.each([
    { when: 'about a node in default', namespace: 'default', about: '', errors: [] },
    {
      when: 'about a node elsewhere',
      namespace: 'ns',
      about: '',
      errors: ['involvedObject.namespace Invalid'],
    },
    { when: 'beside its pod', namespace: 'ns', about: 'ns', errors: [] },
    {
      when: 'apart from its pod',
      namespace: 'default',
      about: 'ns',
      errors: ['involvedObject.namespace Invalid'],
    },
  ])('$when: $errors', ({ namespace, about, errors }) => {
    const involvedObject = { ...event.involvedObject, namespace: about }
    const object = { ...event, metadata: { ...event.metadata, namespace }, involvedObject }
    expect(pairs(create(events, object).errors)).toEqual(errors)
  })

  it.each([
    { when: 'a node, in kube-system', namespace: 'kube-system', about: '', errors: [] },
    { when: 'a pod, from another namespace', namespace: 'default', about: 'ns', errors: [] },
    {
      when: 'a node, anywhere else',
      namespace: 'ns',
      about: '',
      errors: ['involvedObject.namespace Invalid'],
    },
  ])('of the newer style may tell of $when: $errors', ({ namespace, about, errors }) => {
    const involvedObject = { ...newStyle.involvedObject, namespace: about }
    const object = { ...newStyle, metadata: { ...newStyle.metadata, namespace }, involvedObject }
    expect(pairs(create(events, object).errors)).toEqual(errors)
  })

  it('of the newer style must say who reports what', () => {
    expect(create(events, newStyle).errors).toEqual([])
    const { reportingComponent: _, reportingInstance: _i, action: _a, ...bare } = newStyle
    expect(pairs(create(events, { ...bare, message: 'x'.repeat(1025) }).errors)).toEqual([
      'action Required',
      'message Invalid',
      'reportingComponent Required',
      'reportingInstance Required',
    ])
  })

  it('may be named after anything that fits in a path', () => {
    const named = (name: string) =>
      pairs(create(events, { ...event, metadata: { ...event.metadata, name } }).errors)
    expect(named('Upper_Case.17f')).toEqual([])
    expect(named('a/b')).toEqual(['metadata.name Invalid'])
    expect(named('..')).toEqual(['metadata.name Invalid'])
  })

  it('is found by what it is about, also by what it lacks', () => {
    expect(events.selectable(event)).toMatchObject({
      'involvedObject.kind': 'Node',
      'involvedObject.namespace': '',
      'involvedObject.uid': 'n1',
      source: 'node-controller',
      type: 'Normal',
    })
    expect(Object.keys(events.selectable(event))).toHaveLength(13)
  })
})

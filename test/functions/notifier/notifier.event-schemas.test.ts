/** What docs/events.md promises is what is told, and the other way round. */
import { describe, expect, it } from 'vitest'
import { coreEvents } from '../../../shared/lifecycle/events/core-events.ts'
import type {
  DomainEvent,
  DomainEventType,
  Transition,
} from '../../../shared/lifecycle/events/domain-event.ts'
import { domainEvents } from '../../../shared/lifecycle/events/domain-events.ts'
import {
  firstVersion,
  fleet,
  node,
  noExecute,
  noSchedule,
  pod,
  transition,
  zone,
} from '../../shared/lifecycle/events/known.ts'
import { blocks, page, validators } from './documented-events.ts'

const blind = [{ fromMs: 0, why: 'the canary beat fails' }]
const taken = {
  namespace: 'default',
  name: 'lock',
  uid: 'u',
  version: firstVersion,
  from: '',
  to: 'b',
  takenAtMs: firstVersion / 1000,
}
const up = node({ ready: 'True' })

/** At least one way to each event; the compiler asks for a row when there is a new one. */
const ways: Readonly<Record<DomainEventType, Transition>> = {
  NodeRegistered: transition('nodes', undefined, node({ ready: 'True', taints: [noSchedule] })),
  NodeReady: transition('nodes', node(), up),
  NodeNotReady: transition('nodes', up, node({ ready: 'False' })),
  NodeUnreachable: transition('nodes', up, node({ ready: 'Unknown', taints: [noSchedule] })),
  NodeTainted: transition('nodes', node(), node({ taints: [noExecute] })),
  NodeUntainted: transition('nodes', node({ taints: [noExecute] }), node()),
  NodeCordoned: transition('nodes', node(), node({ unschedulable: true })),
  NodeUncordoned: transition('nodes', node({ unschedulable: true }), node()),
  NodeDeleted: transition('nodes', up, undefined),
  PodEvicted: transition('pods', pod(), pod({ reason: 'DeletionByTaintManager' })),
  ZoneStateChanged: transition('zones', zone(), zone({ state: 'Normal', size: 1, notReady: 0 })),
  FleetDisruptionEntered: transition(
    'fleets',
    undefined,
    fleet({ disruption: 'entering', disruptionSinceMs: 0 }),
  ),
  FleetDisruptionLeft: transition(
    'fleets',
    fleet({ disruption: 'entered', disruptionSinceMs: 0 }),
    fleet({ disruption: 'none', floorMs: 1 }),
  ),
  BlindEntered: transition('fleets', fleet(), fleet({ blind })),
  BlindLeft: transition(
    'fleets',
    fleet({ blind }),
    fleet({ blind: [{ ...blind[0]!, untilMs: 1 }] }),
  ),
  LeaseTaken: { kind: 'leaseTaken', taken },
}

const types = Object.keys(ways) as DomainEventType[]
const schemas = validators()

it('every event has a section, a schema and an example, and nothing else has', () => {
  const sections = [...page.matchAll(/^### (\w+)$/gm)].map(([, name]) => name)
  expect(sections.toSorted()).toEqual(types.toSorted())
  expect([...schemas.keys()].toSorted()).toEqual(types.toSorted())
  const examples = blocks('example').map((example) => example['detail-type'])
  expect(examples).toEqual(sections)
})

describe.each(types)('%s', (type) => {
  const isValid = schemas.get(type)!

  it('is told as documented', () => {
    const told = domainEvents(ways[type], 'test')
    expect(told.map((event) => event['detail-type'])).toContain(type)
    for (const event of told) {
      const validate = schemas.get(event['detail-type'])!
      validate(JSON.parse(JSON.stringify(event)))
      expect(validate.errors).toBeNull()
    }
  })

  it('has an example that is one', () => {
    const example = blocks('example').find((each) => each['detail-type'] === type)
    isValid(example)
    expect(isValid.errors).toBeNull()
    const { detail } = example as unknown as DomainEvent
    expect(detail.id).toBe(`${type}.${detail.object.uid}.${detail.version}`)
  })

  it('is refused by its schema when something is missing or made up', () => {
    const [event] = domainEvents(ways[type], 'test').filter((each) => each['detail-type'] === type)
    const { version: _version, ...less } = event!.detail
    expect(isValid({ ...event, detail: less })).toBe(false)
    const more = { ...event!.detail, change: { ...event!.detail.change, madeUp: 1 } }
    expect(isValid({ ...event, detail: more })).toBe(false)
    expect(isValid({ ...event, 'detail-type': 'Another' })).toBe(false)
  })

  it('has words for kubectl, where it is an Event at all', () => {
    for (const { reason, message } of coreEvents(ways[type], domainEvents(ways[type], 'test'))) {
      expect(reason).toMatch(/^[A-Z]\w+$/)
      expect(message.length).toBeGreaterThan(10)
      expect(message).not.toMatch(/undefined|\[object/)
    }
  })
})

it('the example rule picks what it says it picks', () => {
  const [rule] = blocks('rule')
  const picked = blocks('example').filter((example) => matches(rule!, example))
  expect(picked.map((example) => example['detail-type'])).toEqual(['NodeUnreachable'])
})

/** As much of EventBridge's pattern language as the rule uses. */
function matches(pattern: unknown, found: unknown): boolean {
  if (Array.isArray(pattern)) return pattern.includes(found)
  return Object.entries(pattern as object).every(([name, wanted]) =>
    matches(wanted, (found as Record<string, unknown> | undefined)?.[name]),
  )
}

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Node } from '../../../../shared/kube/objects.ts'
import type { Changes, Transition } from '../../../../shared/lifecycle/events/domain-event.ts'
import { domainEvents } from '../../../../shared/lifecycle/events/domain-events.ts'
import { firstVersion, fleet, node, noExecute, noSchedule, pod, transition, zone } from './known.ts'

const typesOf = (told: Transition) =>
  domainEvents(told, 'test').map((event) => event['detail-type'])

describe('a node', () => {
  it.each([
    { when: 'it registers', before: undefined, after: node(), told: ['NodeRegistered'] },
    {
      when: 'it registers while still starting',
      before: undefined,
      after: node({ ready: 'False' }),
      told: ['NodeRegistered'],
    },
    {
      when: 'it registers ready',
      before: undefined,
      after: node({ ready: 'True' }),
      told: ['NodeRegistered', 'NodeReady'],
    },
    {
      when: 'it registers tainted and cordoned',
      before: undefined,
      after: node({ taints: [noSchedule], unschedulable: true }),
      told: ['NodeRegistered'],
    },
    {
      when: 'it first reports that it is starting',
      before: node(),
      after: node({ ready: 'False' }),
      told: [],
    },
    {
      when: 'it becomes ready',
      before: node({ ready: 'False' }),
      after: node({ ready: 'True' }),
      told: ['NodeReady'],
    },
    {
      when: 'it stops being ready',
      before: node({ ready: 'True' }),
      after: node({ ready: 'False' }),
      told: ['NodeNotReady'],
    },
    {
      when: 'it is heard of again, unwell',
      before: node({ ready: 'Unknown' }),
      after: node({ ready: 'False' }),
      told: ['NodeNotReady'],
    },
    {
      when: 'it falls silent: one write, two things to tell',
      before: node({ ready: 'True' }),
      after: node({ ready: 'Unknown', taints: [noSchedule] }),
      told: ['NodeUnreachable', 'NodeTainted'],
    },
    {
      when: 'it was never heard of',
      before: node(),
      after: node({ ready: 'Unknown' }),
      told: ['NodeUnreachable'],
    },
    {
      when: 'its condition is removed',
      before: node({ ready: 'True' }),
      after: node(),
      told: [],
    },
    {
      when: 'one taint replaces another',
      before: node({ taints: [noSchedule] }),
      after: node({ taints: [noExecute] }),
      told: ['NodeTainted', 'NodeUntainted'],
    },
    {
      when: 'a taint changes its value',
      before: node({ taints: [noSchedule] }),
      after: node({ taints: [{ ...noSchedule, value: 'x' }] }),
      told: ['NodeTainted'],
    },
    {
      when: 'a taint changes only its time',
      before: node({ taints: [noExecute] }),
      after: node({ taints: [{ ...noExecute, timeAdded: '2026-01-01T00:00:00Z' }] }),
      told: [],
    },
    {
      when: 'it is cordoned',
      before: node(),
      after: node({ unschedulable: true }),
      told: ['NodeCordoned'],
    },
    {
      when: 'it is uncordoned',
      before: node({ unschedulable: true }),
      after: node(),
      told: ['NodeUncordoned'],
    },
    { when: 'it is deleted', before: node(), after: undefined, told: ['NodeDeleted'] },
    { when: 'nothing of note changes', before: node(), after: node(), told: [] },
  ])('$when: $told', ({ before, after, told }) => {
    expect(typesOf(transition('nodes', before, after))).toEqual(told)
  })

  it('is told whole: what, whose, when, why', () => {
    const fell = transition('nodes', node({ ready: 'True' }), node({ ready: 'Unknown' }))
    const version = firstVersion + 5_000_000
    const id = `NodeUnreachable.uid-of-host-1.${version}`
    expect(domainEvents(fell, 'test')).toEqual([
      {
        id,
        source: 'leasehold',
        'detail-type': 'NodeUnreachable',
        time: '2026-01-01T00:00:05Z',
        detail: {
          id,
          stage: 'test',
          object: { apiVersion: 'v1', kind: 'Node', name: 'host-1', uid: 'uid-of-host-1' },
          zone: 'eu.a',
          version,
          time: '2026-01-01T00:00:05.000000Z',
          reason: 'IsUnknown',
          message: 'Ready is Unknown.',
          change: {
            from: 'True',
            to: 'Unknown',
            lastHeartbeatTime: '2025-12-31T23:59:00Z',
            lastTransitionTime: '2026-01-01T00:00:00Z',
          },
        },
      },
    ])
  })

  it('dies after everything else that was told of it', () => {
    const [death] = domainEvents(transition('nodes', node(), undefined), 'test')
    expect(death!.detail.version).toBe(firstVersion + 1)
    expect(death!.detail.time).toBe('2026-01-01T00:00:07.000000Z')
  })

  it('that takes the name of another is told as a death and a birth', () => {
    const told = transition('nodes', node(), node())
    if (told.kind !== 'object') throw new Error('not an object')
    const replaced: Transition = { ...told, after: { ...told.after!, uid: 'another' } }
    expect(domainEvents(replaced, 'test').map(({ id }) => id)).toEqual([
      `NodeDeleted.uid-of-host-1.${firstVersion + 1}`,
      `NodeRegistered.another.${firstVersion + 5_000_000}`,
    ])
  })

  it('with a long story has it cut, between two characters', () => {
    const loud = node({ ready: 'True' })
    const [condition] = loud.status!.conditions!
    const conditions = [{ ...condition!, message: `${'x'.repeat(1_023)}${'🙂'.repeat(1_000)}` }]
    const [event] = domainEvents(
      transition<Node>('nodes', node(), { ...loud, status: { conditions } }),
      'test',
    )
    expect(event!.detail.message).toHaveLength(1_024)
    expect(event!.detail.message!.isWellFormed()).toBe(true)
  })
})

describe('a pod', () => {
  const evicted = pod({ reason: 'DeletionByTaintManager' }, '2026-01-01T00:00:35Z')
  it.each([
    { when: 'it is created', before: undefined, after: pod(), told: [] },
    { when: 'it is evicted', before: pod(), after: evicted, told: ['PodEvicted'] },
    {
      when: 'somebody asks it to leave',
      before: pod(),
      after: pod({ reason: 'EvictionByEvictionAPI' }, '2026-01-01T00:00:35Z'),
      told: ['PodEvicted'],
    },
    { when: 'it is evicted still', before: evicted, after: evicted, told: [] },
    {
      when: 'it is evicted for another reason',
      before: evicted,
      after: pod({ reason: 'DeletionByPodGC' }, '2026-01-01T00:00:35Z'),
      told: ['PodEvicted'],
    },
    {
      when: 'the condition says that it is not',
      before: pod(),
      after: pod({ status: 'False', reason: 'DeletionByTaintManager' }),
      told: [],
    },
    { when: 'its owner deletes it', before: pod(), after: pod(undefined, 'soon'), told: [] },
    { when: 'it is gone', before: evicted, after: undefined, told: [] },
  ])('$when: $told', ({ before, after, told }) => {
    expect(typesOf(transition('pods', before, after))).toEqual(told)
  })

  it('says where from, when and why', () => {
    const [event] = domainEvents(transition('pods', pod(), evicted), 'test')
    expect(event!.detail).toMatchObject({
      object: { kind: 'Pod', namespace: 'shop', name: 'web' },
      reason: 'DeletionByTaintManager',
      change: { node: 'host-1', deletionTime: '2026-01-01T00:00:35Z', gracePeriodSeconds: 30 },
    })
    expect(event!.detail).not.toHaveProperty('zone')
  })
})

describe('a zone', () => {
  it.each([
    { when: 'it appears', before: undefined, after: zone({ state: 'Initial' }), told: [] },
    {
      when: 'it appears judged',
      before: undefined,
      after: zone({ state: 'Normal' }),
      told: ['ZoneStateChanged'],
    },
    {
      when: 'its state changes',
      before: zone({ state: 'Normal' }),
      after: zone({ state: 'FullDisruption', size: 3, notReady: 3 }),
      told: ['ZoneStateChanged'],
    },
    {
      when: 'only its numbers change',
      before: zone({ state: 'Normal', size: 3 }),
      after: zone({ state: 'Normal', size: 4 }),
      told: [],
    },
    { when: 'it is forgotten', before: zone({ state: 'Normal' }), after: undefined, told: [] },
  ])('$when: $told', ({ before, after, told }) => {
    expect(typesOf(transition('zones', before, after))).toEqual(told)
  })

  it('is its own zone', () => {
    const changed = transition('zones', zone(), zone({ state: 'Normal', size: 3, notReady: 0 }))
    expect(domainEvents(changed, 'test')[0]!.detail).toMatchObject({
      zone: 'eu.a',
      change: { from: 'Initial', to: 'Normal', nodes: 3, notReady: 0 },
    })
  })
})

describe('the fleet', () => {
  const blind = [{ fromMs: firstVersion / 1000, why: 'the canary beat fails' }]
  const sighted = [{ ...blind[0]!, untilMs: firstVersion / 1000 + 1_000 }]
  it.each([
    { when: 'it is first seen', before: undefined, after: fleet({ disruption: 'none' }), told: [] },
    {
      when: 'all of it goes down',
      before: fleet({ disruption: 'none' }),
      after: fleet({ disruption: 'entering', disruptionSinceMs: 0 }),
      told: ['FleetDisruptionEntered'],
    },
    {
      when: 'the entering is finished',
      before: fleet({ disruption: 'entering' }),
      after: fleet({ disruption: 'entered' }),
      told: [],
    },
    {
      when: 'some of it comes back',
      before: fleet({ disruption: 'entered', disruptionSinceMs: 0 }),
      after: fleet({ disruption: 'none', floorMs: 1 }),
      told: ['FleetDisruptionLeft'],
    },
    {
      when: 'the observer goes blind',
      before: fleet({ blind: [] }),
      after: fleet({ blind }),
      told: ['BlindEntered'],
    },
    { when: 'it stays blind', before: fleet({ blind }), after: fleet({ blind }), told: [] },
    {
      when: 'it sees again',
      before: fleet({ blind }),
      after: fleet({ blind: sighted }),
      told: ['BlindLeft'],
    },
    {
      when: 'it goes blind a second time',
      before: fleet({ blind: sighted }),
      after: fleet({ blind: [...sighted, ...blind] }),
      told: ['BlindEntered'],
    },
  ])('$when: $told', ({ before, after, told }) => {
    expect(typesOf(transition('fleets', before, after))).toEqual(told)
  })

  it('says how long it was blind, and why', () => {
    const seeing = transition('fleets', fleet({ blind }), fleet({ blind: sighted }))
    expect(domainEvents(seeing, 'test')[0]!.detail).toMatchObject({
      message: 'the canary beat fails',
      change: {
        sinceTime: '2026-01-01T00:00:00.000000Z',
        untilTime: '2026-01-01T00:00:01.000000Z',
      },
    })
  })
})

it('how long a full disruption lasted, and from when clocks count, is told', () => {
  const sinceMs = firstVersion / 1000
  const before = fleet({ disruption: 'entered', disruptionSinceMs: sinceMs })
  const after = fleet({ disruption: 'none', floorMs: sinceMs + 60_000 })
  const [left] = domainEvents(transition('fleets', before, after), 'test')
  expect(left?.detail.change).toEqual({
    sinceTime: '2026-01-01T00:00:00.000000Z',
    clocksFromTime: '2026-01-01T00:01:00.000000Z',
  })
})

it('blindness whose end was not kept is told without it', () => {
  const blind = [{ fromMs: firstVersion / 1000, why: 'test' }]
  const change = transition('fleets', fleet({ blind }), fleet({ blind: [] }))
  expect(domainEvents(change, 'test')[0]?.detail.change).toEqual({
    sinceTime: '2026-01-01T00:00:00.000000Z',
  })
})

it('a pod that loses the condition of its eviction is not told', () => {
  const evicted = pod({ reason: 'DeletionByTaintManager' })
  expect(typesOf(transition('pods', evicted, pod()))).toEqual([])
})

it('the fleet that is deleted is not told', () => {
  expect(typesOf(transition('fleets', fleet({ disruption: 'entered' }), undefined))).toEqual([])
})

it('a taint with a value is told when it comes, and not again', () => {
  const valued = { ...noExecute, value: 'why' }
  const one = node({ ready: 'True', taints: [valued] })
  const both = node({ ready: 'True', taints: [valued, noSchedule] })
  const [event, ...others] = domainEvents(transition('nodes', one, both), 'test')
  expect(event?.detail.change).toEqual({ taints: [noSchedule] })
  expect(others).toEqual([])
})

it('a lease that was taken is told with its fencing token', () => {
  const taken = {
    namespace: 'default',
    name: 'lock',
    uid: 'uid-of-lock',
    version: firstVersion,
    from: 'a',
    to: 'b',
    leaseTransitions: 4,
    takenAtMs: firstVersion / 1000,
  }
  const [event] = domainEvents({ kind: 'leaseTaken', taken }, 'test')
  expect(event).toMatchObject({
    id: `LeaseTaken.uid-of-lock.${firstVersion}`,
    time: '2026-01-01T00:00:00Z',
    detail: { object: { kind: 'Lease' }, change: { from: 'a', to: 'b', leaseTransitions: 4 } },
  })
})

it.each(['events', 'namespaces', 'cells', 'constructor'])('%s are never told', (resource) => {
  expect(typesOf(transition(resource, undefined, node()))).toEqual([])
})

const anyNode = fc
  .record({
    ready: fc.option(fc.constantFrom('True' as const, 'False' as const, 'Unknown' as const), {
      nil: undefined,
    }),
    taints: fc.subarray([noSchedule, noExecute]),
    unschedulable: fc.boolean(),
  })
  .map(({ ready, ...rest }) => node({ ...rest, ...(ready && { ready }) }))

describe('whatever happens to a node', () => {
  it('has ids that tell its events apart and come out the same again', () => {
    fc.assert(
      fc.property(fc.option(anyNode), fc.option(anyNode), (before, after) => {
        const told = transition('nodes', before ?? undefined, after ?? undefined)
        const events = domainEvents(told, 'test')
        expect(new Set(events.map(({ id }) => id)).size).toBe(events.length)
        expect(domainEvents(told, 'test')).toEqual(events)
      }),
    )
  })

  it('can be followed: who applies the events knows its taints and its cordon', () => {
    fc.assert(
      fc.property(fc.array(anyNode, { minLength: 1, maxLength: 6 }), (lives) => {
        const keys = new Set<string>()
        let unschedulable = false
        for (const [at, after] of lives.entries()) {
          for (const { 'detail-type': type, detail } of domainEvents(
            transition('nodes', lives[at - 1], after),
            'test',
          )) {
            const change = detail.change as Partial<Changes['NodeRegistered']>
            for (const { effect } of change.taints ?? [])
              type === 'NodeUntainted' ? keys.delete(effect) : keys.add(effect)
            unschedulable = change.unschedulable ?? unschedulable
          }
        }
        const last = lives.at(-1)!
        expect(keys).toEqual(new Set(last.spec!.taints!.map(({ effect }) => effect)))
        expect(unschedulable).toBe(last.spec?.unschedulable === true)
      }),
    )
  })
})

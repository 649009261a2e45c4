import { describe, expect, it } from 'vitest'
import { coreEvents } from '../../../../shared/lifecycle/events/core-events.ts'
import type { Transition } from '../../../../shared/lifecycle/events/domain-event.ts'
import { domainEvents } from '../../../../shared/lifecycle/events/domain-events.ts'
import { firstVersion, fleet, node, noExecute, pod, transition, zone } from './known.ts'

const told = (change: Transition) => coreEvents(change, domainEvents(change, 'test'))
const up = node({ ready: 'True' })
const taken = {
  namespace: 'default',
  name: 'lock',
  uid: 'u',
  version: firstVersion,
  from: 'a',
  to: 'b',
  takenAtMs: firstVersion / 1000,
}

describe('a new pod', () => {
  const made = (spec: object) => {
    const base = pod()
    return told(transition('pods', undefined, { ...base, spec: { ...spec } } as typeof base))
  }

  it.each([
    { when: 'it has no node', spec: {}, reasons: ['FailedScheduling'] },
    { when: 'it has a node', spec: { nodeName: 'host-1' }, reasons: [] },
    { when: 'it waits for a scheduler', spec: { schedulerName: 'mine' }, reasons: [] },
  ])('when $when: $reasons', ({ spec, reasons }) => {
    expect(made(spec).map(({ reason }) => reason)).toEqual(reasons)
  })

  it('that is changed later is not told about again', () => {
    const base = { ...pod(), spec: {} } as ReturnType<typeof pod>
    expect(told(transition('pods', base, base))).toEqual([])
  })
})

describe('our own Events', () => {
  it.each([
    {
      when: 'a node is tainted',
      change: transition('nodes', up, node({ ready: 'True', taints: [noExecute] })),
      says: [
        'Normal',
        'NodeTainted',
        'Node host-1 was tainted: node.kubernetes.io/unreachable:NoExecute',
      ],
    },
    {
      when: 'the monitor taints a node and says what it compared',
      change: {
        ...transition('nodes', up, node({ ready: 'True', taints: [noExecute] })),
        emits: ['because silent 51 s, grace 50 s'],
      } as const,
      says: [
        'Normal',
        'NodeTainted',
        'Node host-1 was tainted: node.kubernetes.io/unreachable:NoExecute: silent 51 s, grace 50 s',
      ],
    },
    {
      when: 'a node loses a taint that has a value',
      change: transition(
        'nodes',
        node({ ready: 'True', taints: [{ ...noExecute, value: 'why' }] }),
        up,
      ),
      says: [
        'Normal',
        'NodeUntainted',
        'Node host-1 lost the taints: node.kubernetes.io/unreachable=why:NoExecute',
      ],
    },
    {
      when: 'a pod is evicted without a word',
      change: transition('pods', pod(), pod({ reason: 'EvictionByEvictionAPI' })),
      says: ['Normal', 'Evicted', 'EvictionByEvictionAPI'],
    },
    {
      when: 'a zone comes back',
      change: transition('zones', zone({ state: 'FullDisruption' }), zone({ state: 'Normal' })),
      says: ['Normal', 'ZoneStateChanged', 'Zone eu.a went from FullDisruption to Normal'],
    },
    {
      when: 'a zone is emptied',
      change: transition('zones', zone({ state: 'FullDisruption' }), zone({ state: 'Initial' })),
      says: ['Normal', 'ZoneStateChanged', 'Zone eu.a went from FullDisruption to Initial'],
    },
    {
      when: 'somebody else evicts a pod',
      change: transition('pods', pod(), pod({ reason: 'EvictionByEvictionAPI', message: 'Bye.' })),
      says: ['Normal', 'Evicted', 'Bye.'],
    },
    {
      when: 'a zone goes down',
      change: transition('zones', zone({ state: 'Normal' }), zone({ state: 'FullDisruption' })),
      says: ['Warning', 'ZoneStateChanged', 'Zone eu.a went from Normal to FullDisruption'],
    },
    {
      when: 'the fleet goes down',
      change: transition('fleets', fleet(), fleet({ disruption: 'entering' })),
      says: [
        'Warning',
        'FleetDisruptionEntered',
        'Every zone is fully disrupted: nobody is evicted',
      ],
    },
    {
      when: 'a lease has another holder',
      change: { kind: 'leaseTaken', taken } as const,
      says: ['Normal', 'LeaseTaken', 'b took the lease from a'],
    },
    {
      when: 'a lease has a first holder',
      change: { kind: 'leaseTaken', taken: { ...taken, from: '' } } as const,
      says: ['Normal', 'LeaseTaken', 'b took the lease'],
    },
  ])('when $when', ({ change, says }) => {
    const [event, ...others] = told(change)
    expect([event?.type, event?.reason, event?.message]).toEqual(says)
    expect(event?.source).toEqual({ component: 'leasehold' })
    expect(others).toEqual([])
  })

  it('are none where Kubernetes has its own', () => {
    const evicted = transition('pods', pod(), pod({ reason: 'DeletionByTaintManager' }))
    expect(told(evicted)).toEqual([])
    const registered = told(transition('nodes', undefined, up))
    expect(registered.map(({ reason }) => reason)).toEqual(['RegisteredNode'])
  })

  it('of a Node that was made anew come with both halves', () => {
    const anew = transition('nodes', up, up) as Extract<Transition, { kind: 'object' }>
    const change = { ...anew, after: { ...anew.after!, uid: 'another' } }
    expect(told(change).map(({ reason }) => reason)).toEqual(['RemovingNode', 'RegisteredNode'])
    expect(told(change).map(({ time }) => time)).toEqual([
      '2026-01-01T00:00:07Z',
      '2026-01-01T00:00:05Z',
    ])
    const marked = { ...change, emits: ['NodeNotReady'] } as const
    expect(told(marked).map(({ reason }) => reason)).toContain('NodeNotReady')
  })
})

describe('a list of taints', () => {
  const taints = (count: number) =>
    Array.from({ length: count }, (_, at) => ({ key: `t${at}`, effect: 'NoSchedule' }) as const)
  const list = (count: number) =>
    told(transition('nodes', up, node({ ready: 'True', taints: taints(count) })))[0]?.message

  it('is whole up to eight', () => {
    expect(list(8)).toMatch(/: t0:NoSchedule, .*, t7:NoSchedule$/)
  })

  it('is cut after eight', () => {
    expect(list(9)).toMatch(/, t7:NoSchedule, …$/)
  })
})

it('what is neither a node nor a pod has no Event of Kubernetes', () => {
  const { before: _, ...made } = transition('leases', undefined, pod()) as Record<string, unknown>
  const change = { ...made, emits: ['CancellingDeletion'] } as unknown as Transition
  expect(coreEvents(change, [])).toEqual([])
})

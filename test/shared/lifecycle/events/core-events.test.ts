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
  })
})

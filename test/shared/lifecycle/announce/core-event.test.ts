import { describe, expect, it } from 'vitest'
import { events } from '../../../../shared/kube/resources/events.ts'
import { coreEvent } from '../../../../shared/lifecycle/announce/core-event.ts'
import type { Transition } from '../../../../shared/lifecycle/announce/domain-event.ts'
import { domainEvents } from '../../../../shared/lifecycle/domain-events.ts'
import { firstVersion, fleet, node, noExecute, pod, transition, zone } from './known.ts'

const first = (told: Transition) => coreEvent(domainEvents(told, 'test')[0]!)
const up = node({ ready: 'True' })

describe('words', () => {
  it.each([
    {
      when: 'a node registers',
      told: transition('nodes', undefined, node()),
      says: ['Normal', 'RegisteredNode', 'Node host-1 event: Registered Node host-1 in Controller'],
      by: 'node-controller',
    },
    {
      when: 'a node is deleted',
      told: transition('nodes', node(), undefined),
      says: ['Normal', 'RemovingNode', 'Node host-1 event: Removing Node host-1 from Controller'],
      by: 'node-controller',
    },
    {
      when: 'a node falls silent',
      told: transition('nodes', up, node({ ready: 'Unknown' })),
      says: ['Normal', 'NodeNotReady', 'Node host-1 status is now: NodeNotReady'],
      by: 'node-controller',
    },
    {
      when: 'a node reports that it is unwell',
      told: transition('nodes', up, node({ ready: 'False' })),
      says: ['Normal', 'NodeNotReady', 'Node host-1 status is now: NodeNotReady'],
      by: 'node-controller',
    },
    {
      when: 'a node is cordoned',
      told: transition('nodes', up, node({ ready: 'True', unschedulable: true })),
      says: ['Normal', 'NodeNotSchedulable', 'Node host-1 status is now: NodeNotSchedulable'],
      by: 'node-controller',
    },
    {
      when: 'a node is tainted',
      told: transition('nodes', up, node({ ready: 'True', taints: [noExecute] })),
      says: [
        'Normal',
        'NodeTainted',
        'Node host-1 was tainted: node.kubernetes.io/unreachable:NoExecute',
      ],
      by: 'leasehold',
    },
    {
      when: 'taints evict a pod',
      told: transition('pods', pod(), pod({ reason: 'DeletionByTaintManager' })),
      says: ['Normal', 'TaintManagerEviction', 'Marking for deletion Pod shop/web'],
      by: 'taint-eviction-controller',
    },
    {
      when: 'somebody else evicts a pod',
      told: transition('pods', pod(), pod({ reason: 'EvictionByEvictionAPI', message: 'Bye.' })),
      says: ['Normal', 'Evicted', 'Bye.'],
      by: 'leasehold',
    },
    {
      when: 'a zone goes down',
      told: transition('zones', zone({ state: 'Normal' }), zone({ state: 'FullDisruption' })),
      says: ['Warning', 'ZoneStateChanged', 'Zone eu.a went from Normal to FullDisruption'],
      by: 'leasehold',
    },
    {
      when: 'the fleet goes down',
      told: transition('fleets', fleet(), fleet({ disruption: 'entering' })),
      says: [
        'Warning',
        'FleetDisruptionEntered',
        'Every zone is fully disrupted: nobody is evicted',
      ],
      by: 'leasehold',
    },
  ])('when $when', ({ told, says, by }) => {
    const { type, reason, message, source } = first(told)
    expect([type, reason, message]).toEqual(says)
    expect(source?.component).toBe(by)
  })
})

describe('a core/v1 Event', () => {
  it('about a node is in default and points at the node', () => {
    const event = first(transition('nodes', undefined, node()))
    expect(event.metadata.namespace).toBe('default')
    expect(event.involvedObject).toEqual({
      apiVersion: 'v1',
      kind: 'Node',
      name: 'host-1',
      uid: 'uid-of-host-1',
    })
    expect(event.reportingComponent).toBe('leasehold')
  })

  it('about a pod is beside the pod', () => {
    const event = first(transition('pods', pod(), pod({ reason: 'DeletionByTaintManager' })))
    expect(event.metadata.namespace).toBe('shop')
  })

  it('is one the api itself would accept', () => {
    expect(events.validateCreate(first(transition('nodes', undefined, node())))).toEqual([])
    const long = node()
    const name = 'n'.repeat(253)
    const told = transition('nodes', undefined, { ...long, metadata: { ...long.metadata, name } })
    expect(events.validateCreate(first(told))).toEqual([])
  })

  it('is the same object when it is told again, and another for another event', () => {
    const fell = transition('nodes', up, node({ ready: 'Unknown', taints: [noExecute] }))
    const [one, two] = domainEvents(fell, 'test').map(coreEvent)
    expect(coreEvent(domainEvents(fell, 'test')[0]!)).toEqual(one)
    expect(one!.metadata.name).not.toBe(two!.metadata.name)
    expect(one!.metadata.uid).not.toBe(two!.metadata.uid)
    expect(one!.metadata.uid).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-/)
  })

  it('of a lease names both holders', () => {
    const taken = {
      namespace: 'default',
      name: 'lock',
      uid: 'u',
      version: firstVersion,
      from: 'a',
      to: 'b',
      takenAtMs: firstVersion / 1000,
    }
    expect(first({ kind: 'leaseTaken', taken }).message).toBe('b took the lease from a')
    const free = first({ kind: 'leaseTaken', taken: { ...taken, from: '' } })
    expect(free.message).toBe('b took the lease')
  })
})

import { describe, expect, it } from 'vitest'
import type { Node, NodeCondition } from '../../../../shared/kube/objects.ts'
import { coreEvents, type EventDraft } from '../../../../shared/lifecycle/events/core-events.ts'
import type { Transition } from '../../../../shared/lifecycle/events/domain-event.ts'
import { EVICT_AT } from '../../../../shared/lifecycle/eviction/countdown.ts'
import type { EmittedEvent } from '../../../../shared/lifecycle/world.ts'
import { node, pod, transition } from './known.ts'

/** Without ours, which follow from the domain events. */
const emitted = (told: Transition, ...emits: EmittedEvent[]) =>
  coreEvents(told.kind === 'object' ? { ...told, emits } : told, [])
const line = ({ source, type, reason, message }: EventDraft) =>
  `${source.component}: ${type} ${reason}: ${message}`

const up = node({ ready: 'True' })
const down = node({ ready: 'Unknown' })
const counting = { ...pod(), metadata: { ...pod().metadata, annotations: { [EVICT_AT]: 'soon' } } }

describe('the controllers', () => {
  it.each([
    {
      when: 'a node registers',
      told: transition('nodes', undefined, node()),
      says: [
        'node-controller: Normal RegisteredNode: Node host-1 event: Registered Node host-1 in Controller',
      ],
    },
    {
      when: 'a node is deleted',
      told: transition('nodes', node(), undefined),
      says: [
        'node-controller: Normal RemovingNode: Node host-1 event: Removing Node host-1 from Controller',
      ],
    },
    {
      when: 'the monitor marks a node that was ready',
      told: transition('nodes', up, down),
      emits: ['NodeNotReady'] as const,
      says: ['node-controller: Normal NodeNotReady: Node host-1 status is now: NodeNotReady'],
    },
    {
      when: 'the monitor marks one that was not',
      told: transition('nodes', node({ ready: 'False' }), down),
      says: [],
    },
    {
      when: 'a host says itself that it is not ready',
      told: transition('nodes', up, node({ ready: 'False' })),
      says: [],
    },
    { when: 'a node is back', told: transition('nodes', down, up), says: [] },
    {
      when: 'the monitor marks a pod with its host',
      told: transition('pods', pod(), pod()),
      emits: ['NodeNotReady'] as const,
      says: ['node-controller: Warning NodeNotReady: Node is not ready'],
    },
    {
      when: 'a host says that a pod is not ready',
      told: transition('pods', pod(), pod()),
      says: [],
    },
    {
      when: 'a pod is evicted that was counting',
      told: transition('pods', counting, pod()),
      emits: ['CancellingDeletion', 'MarkingForDeletion'] as const,
      says: [
        'taint-eviction-controller: Normal TaintManagerEviction: Cancelling deletion of Pod shop/web',
        'taint-eviction-controller: Normal TaintManagerEviction: Marking for deletion Pod shop/web',
      ],
    },
    {
      when: 'a pod is deleted before its time is up',
      told: transition('pods', counting, undefined),
      says: [
        'taint-eviction-controller: Normal TaintManagerEviction: Cancelling deletion of Pod shop/web',
      ],
    },
    { when: 'any other pod is deleted', told: transition('pods', pod(), undefined), says: [] },
    { when: 'something else changes', told: transition('namespaces', pod(), undefined), says: [] },
  ])('when $when: $says', ({ told, emits = [], says }) => {
    expect(emitted(told, ...emits).map(line)).toEqual(says)
  })
})

const condition = (type: string, status: NodeCondition['status']) => ({ type, status })

/** As our agent reports it. */
function agentNode(conditions: readonly NodeCondition[], spec: Node['spec'] = {}): Node {
  const nodeInfo = { kubeletVersion: 'v0.1.0+leasehold' } as NonNullable<Node['status']>['nodeInfo']
  return { metadata: { name: 'host-1' }, spec, status: { conditions, nodeInfo } }
}

describe('a host that runs our agent', () => {
  const well = [condition('MemoryPressure', 'False'), condition('Ready', 'True')]
  const ill = [condition('MemoryPressure', 'True'), condition('Ready', 'False')]
  const lost = [condition('MemoryPressure', 'Unknown'), condition('Ready', 'Unknown')]
  const reasons = (before: Node | undefined, after: Node) =>
    emitted(transition('nodes', before, after)).map(
      ({ source, reason }) => `${source.component}: ${reason}`,
    )

  it.each([
    {
      when: 'registers',
      before: undefined,
      after: agentNode(well),
      says: ['node-controller: RegisteredNode', 'kubelet: NodeHasSufficientMemory'],
    },
    {
      when: 'is unwell',
      before: agentNode(well),
      after: agentNode(ill),
      says: ['kubelet: NodeHasInsufficientMemory', 'kubelet: NodeNotReady'],
    },
    { when: 'falls silent', before: agentNode(well), after: agentNode(lost), says: [] },
    {
      when: 'comes back',
      before: agentNode(lost),
      after: agentNode(well),
      says: ['kubelet: NodeHasSufficientMemory', 'kubelet: NodeReady'],
    },
    { when: 'says the same again', before: agentNode(well), after: agentNode(well), says: [] },
    {
      when: 'is cordoned',
      before: agentNode(well),
      after: agentNode(well, { unschedulable: true }),
      says: ['kubelet: NodeNotSchedulable'],
    },
    {
      when: 'is uncordoned',
      before: agentNode(well, { unschedulable: true }),
      after: agentNode(well),
      says: ['kubelet: NodeSchedulable'],
    },
  ])('and $when: $says', ({ before, after, says }) => {
    expect(reasons(before, after)).toEqual(says)
  })

  it('names itself as the source', () => {
    const [event] = emitted(transition('nodes', agentNode(lost), agentNode(well))).slice(-1)
    expect(event).toMatchObject({
      source: { component: 'kubelet', host: 'host-1' },
      type: 'Normal',
      message: 'Node host-1 status is now: NodeReady',
    })
  })
})

describe('the involved object', () => {
  it('of a node and of a pod that is not ready has the uid', () => {
    expect(emitted(transition('nodes', undefined, node()))[0]?.involvedObject).toEqual({
      apiVersion: 'v1',
      kind: 'Node',
      name: 'host-1',
      uid: 'uid-of-host-1',
    })
    expect(emitted(transition('pods', pod(), pod()), 'NodeNotReady')[0]?.involvedObject).toEqual({
      apiVersion: 'v1',
      kind: 'Pod',
      namespace: 'shop',
      name: 'web',
      uid: 'uid-of-web',
    })
  })

  it('of an eviction has none, as in Kubernetes', () => {
    expect(
      emitted(transition('pods', pod(), pod()), 'MarkingForDeletion')[0]?.involvedObject,
    ).toEqual({
      apiVersion: 'v1',
      kind: 'Pod',
      namespace: 'shop',
      name: 'web',
    })
  })
})

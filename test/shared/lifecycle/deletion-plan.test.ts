import { describe, expect, it } from 'vitest'
import type { KubeObject, Pod } from '../../../shared/kube/objects.ts'
import { isDeletable, planDeletion } from '../../../shared/lifecycle/deletion-plan.ts'

const NOW_MS = Date.UTC(2026, 0, 1)
const DELETED = '2025-12-31T23:59:00Z'

const running = (more: Partial<Pod> = {}): Pod => ({
  metadata: { name: 'p' },
  spec: { nodeName: 'n1' },
  status: { phase: 'Running' },
  ...more,
})

describe('the grace of a pod', () => {
  it.each([
    { when: 'nothing is said', pod: running(), asked: undefined, grace: 30 },
    { when: 'the client says so', pod: running(), asked: 7, grace: 7 },
    { when: 'it is negative: as little as possible', pod: running(), asked: -1, grace: 1 },
    { when: 'the client wants none', pod: running(), asked: 0, grace: 0 },
    { when: 'it has no host', pod: running({ spec: {} }), asked: 7, grace: 0 },
    { when: 'it failed', pod: running({ status: { phase: 'Failed' } }), asked: 7, grace: 0 },
    { when: 'it succeeded', pod: running({ status: { phase: 'Succeeded' } }), asked: 7, grace: 0 },
  ])('is $grace s when $when', ({ pod, asked, grace }) => {
    const graceSeconds = asked === undefined ? {} : { graceSeconds: asked }
    const plan = planDeletion({ plural: 'pods', object: pod, ...graceSeconds, nowMs: NOW_MS })
    const objects = { remove: 'marked', mark: 'object', keep: '' } as const
    const object = (plan as Record<string, unknown>)[objects[plan.kind]] as KubeObject | undefined
    expect(plan.kind).toBe(grace === 0 ? 'remove' : 'mark')
    expect(object?.metadata.deletionGracePeriodSeconds).toBe(grace)
  })

  it('is nothing for anything else', () => {
    const object = { metadata: { name: 'n' }, spec: { nodeName: 'n1' } } as KubeObject
    const plan = planDeletion({ plural: 'nodes', object, graceSeconds: 7, nowMs: NOW_MS })
    expect(plan.kind).toBe('remove')
  })
})

describe('the generation', () => {
  const generationAfter = (metadata: Pod['metadata'], graceSeconds: number) => {
    const object = running({ metadata })
    const plan = planDeletion({ plural: 'pods', object, graceSeconds, nowMs: NOW_MS })
    return plan.kind === 'mark' ? plan.object.metadata.generation : plan.kind
  }
  const marked = { deletionTimestamp: DELETED, deletionGracePeriodSeconds: 60 }

  it.each([
    { when: 'is raised by the first delete', metadata: { generation: 3 }, after: 4 },
    { when: 'stays when a second shortens it', metadata: { generation: 3, ...marked }, after: 3 },
    { when: 'is not invented', metadata: {}, after: undefined },
    { when: 'is not invented by a second', metadata: marked, after: undefined },
  ])('$when', ({ metadata, after }) => {
    expect(generationAfter({ name: 'p', ...metadata }, 10)).toBe(after)
  })
})

describe('what may be removed', () => {
  const object = (metadata: object, spec: object = {}) =>
    ({ metadata: { name: 'o', ...metadata }, spec }) as KubeObject

  it.each([
    { when: 'it is marked', of: object({ deletionTimestamp: DELETED }), may: true },
    { when: 'it is not marked', of: object({}), may: false },
    {
      when: 'a grace is left',
      of: object({ deletionTimestamp: DELETED, deletionGracePeriodSeconds: 1 }),
      may: false,
    },
    {
      when: 'a finalizer is left',
      of: object({ deletionTimestamp: DELETED, finalizers: ['f'] }),
      may: false,
    },
    {
      when: 'only a namespace would have such a finalizer',
      of: object({ deletionTimestamp: DELETED }, { finalizers: ['kubernetes'] }),
      may: true,
    },
  ])('$when: $may', ({ of, may }) => {
    expect(isDeletable('pods', of)).toBe(may)
  })

  it('is no namespace that has not been emptied', () => {
    const of = object({ deletionTimestamp: DELETED }, { finalizers: ['kubernetes'] })
    expect(isDeletable('namespaces', of)).toBe(false)
  })
})

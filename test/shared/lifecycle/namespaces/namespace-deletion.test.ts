import { describe, expect, it } from 'vitest'
import type { Namespace } from '../../../../shared/kube/objects.ts'
import {
  isNothingLeft,
  type Remaining,
  withoutFinalizer,
  withProgress,
} from '../../../../shared/lifecycle/namespaces/namespace-deletion.ts'

const namespace: Namespace = {
  metadata: { name: 'team', deletionTimestamp: '2026-01-02T03:04:05Z' },
  spec: { finalizers: ['kubernetes'] },
  status: { phase: 'Terminating', conditions: [{ type: 'Mine', status: 'True' }] },
}
const pods = (count: number, more: Partial<Remaining> = {}): Remaining => ({
  resource: 'pods.',
  objects: Array.from({ length: count }, () => ({ metadata: { finalizers: ['a/b'] } })),
  hasMore: false,
  failed: 0,
  ...more,
})
const at = (seconds: number) => Date.UTC(2026, 0, 2, 3, 5, seconds)
const typesOf = ({ status }: Namespace) => status?.conditions?.map(({ type }) => type)
const find = ({ status }: Namespace, type: string) =>
  status?.conditions?.find((condition) => condition.type === type)

describe('the progress of a deletion', () => {
  it('is five conditions beside those of others, in Kubernetes order', () => {
    expect(typesOf(withProgress(namespace, [pods(1)], at(0)))).toEqual([
      'Mine',
      'NamespaceDeletionDiscoveryFailure',
      'NamespaceDeletionGroupVersionParsingFailure',
      'NamespaceDeletionContentFailure',
      'NamespaceContentRemaining',
      'NamespaceFinalizersRemaining',
    ])
  })

  it('changes when what is left changes, and its time when a status does', () => {
    const first = withProgress(namespace, [pods(2)], at(0))
    expect(withProgress(first, [pods(2)], at(5))).toBe(first)
    const fewer = withProgress(first, [pods(1)], at(5))
    expect(find(fewer, 'NamespaceContentRemaining')).toMatchObject({
      lastTransitionTime: '2026-01-02T03:05:00Z',
      message: 'Some resources are remaining: pods. has 1 resource instances',
    })
    const none = withProgress(fewer, [pods(0)], at(9))
    expect(find(none, 'NamespaceContentRemaining')).toMatchObject({
      status: 'False',
      lastTransitionTime: '2026-01-02T03:05:09Z',
    })
  })

  it('names everything that is left in one order, and counts each finalizer', () => {
    const services = pods(1, { resource: 'services.' })
    const both = withProgress(namespace, [services, pods(2)], at(0))
    expect(find(both, 'NamespaceContentRemaining')?.message).toBe(
      'Some resources are remaining: ' +
        'pods. has 2 resource instances, services. has 1 resource instances',
    )
    expect(find(both, 'NamespaceFinalizersRemaining')?.message).toContain('a/b in 3 resource')
  })

  it.each([
    { what: 'reason', changed: { reason: 'Another' } },
    { what: 'message', changed: { message: 'Another' } },
    { what: 'status', changed: { status: 'True' as const } },
  ])('is written again when a $what is not what it says', ({ changed }) => {
    const first = withProgress(namespace, [pods(0)], at(0))
    const conditions = first.status!.conditions!.map((one) =>
      one.type === 'NamespaceContentRemaining' ? { ...one, ...changed } : one,
    )
    const told = { ...first, status: { ...first.status, conditions } }
    const again = withProgress(told, [pods(0)], at(5))
    expect(find(again, 'NamespaceContentRemaining')).toMatchObject({
      status: 'False',
      reason: 'ContentRemoved',
      message: 'All content successfully removed',
    })
    expect(find(again, 'NamespaceDeletionDiscoveryFailure')?.status).toBe('False')
  })

  it('says what could not be deleted, and that there may be more', () => {
    const stuck = withProgress(namespace, [pods(1, { failed: 1, hasMore: true })], at(0))
    expect(find(stuck, 'NamespaceDeletionContentFailure')).toMatchObject({
      status: 'True',
      reason: 'ContentDeletionFailed',
    })
    expect(find(stuck, 'NamespaceContentRemaining')?.message).toContain('1 or more')
  })

  it('is over when nothing is left, known or unknown', () => {
    expect(isNothingLeft([pods(0)])).toBe(true)
    expect(isNothingLeft([pods(0), pods(1)])).toBe(false)
    expect(isNothingLeft([pods(0, { hasMore: true })])).toBe(false)
  })

  it('takes away one finalizer and no other', () => {
    const spec = { finalizers: ['a/b', 'kubernetes'] }
    expect(withoutFinalizer({ ...namespace, spec }).spec).toEqual({ finalizers: ['a/b'] })
  })
})

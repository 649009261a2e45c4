/**
 * How far is the deletion of a namespace? Its conditions and its finalizer, as Kubernetes' namespace
 * controller writes them.
 */
import type { Condition, KubeObject, Namespace } from '../../kube/objects.ts'
import { formatTime } from '../../kube/time.ts'

/** Objects of one resource that are still in the namespace. */
export interface Remaining {
  /** `pods.`, `leases.coordination.k8s.io`: as Kubernetes' messages spell it. */
  readonly resource: string
  readonly objects: readonly KubeObject[]
  /** There may be others, which were not looked at this time. */
  readonly hasMore: boolean
  /** How many could not be deleted, although no finalizer and no host holds them. */
  readonly failed: number
}

export const isNothingLeft = (remaining: readonly Remaining[]): boolean =>
  remaining.every(({ objects, hasMore }) => objects.length === 0 && !hasMore)

/** The same object when nothing about it changes. */
export function withProgress(
  namespace: Namespace,
  remaining: readonly Remaining[],
  nowMs: number,
): Namespace {
  const before = namespace.status?.conditions ?? []
  const now = conditionsOf(remaining)
  const others = before.filter(({ type }) => !now.some((one) => one.type === type))
  const conditions = now.map((one) => continued(one, before, nowMs))
  if (conditions.every((one) => before.includes(one))) return namespace
  return {
    ...namespace,
    status: { ...namespace.status, phase: 'Terminating', conditions: [...others, ...conditions] },
  }
}

function continued(
  condition: Condition,
  conditions: readonly Condition[],
  nowMs: number,
): Condition {
  const before = conditions.find(({ type }) => type === condition.type)
  const isSameStatus = before?.status === condition.status
  const isSame =
    isSameStatus && before?.reason === condition.reason && before?.message === condition.message
  if (before && isSame) return before
  const lastTransitionTime = isSameStatus ? before?.lastTransitionTime : formatTime(nowMs)
  return { ...condition, lastTransitionTime }
}

function conditionsOf(remaining: readonly Remaining[]): readonly Condition[] {
  const failed = remaining.filter((one) => one.failed > 0)
  const left = remaining.filter((one) => !isNothingLeft([one]))
  const held = finalizersIn(remaining)
  return [
    condition('NamespaceDeletionDiscoveryFailure', {
      reason: 'ResourcesDiscovered',
      message: 'All resources successfully discovered',
    }),
    condition('NamespaceDeletionGroupVersionParsingFailure', {
      reason: 'ParsedGroupVersions',
      message: 'All legacy kube types successfully parsed',
    }),
    condition(
      'NamespaceDeletionContentFailure',
      {
        reason: 'ContentDeleted',
        message: 'All content successfully deleted, may be waiting on finalization',
      },
      failed.length > 0 && {
        reason: 'ContentDeletionFailed',
        message: `Failed to delete all resource types, ${failed.length} remaining: ${listed(
          failed.map((one) => `${one.failed} of ${one.resource} could not be deleted`),
        )}`,
      },
    ),
    condition(
      'NamespaceContentRemaining',
      { reason: 'ContentRemoved', message: 'All content successfully removed' },
      left.length > 0 && {
        reason: 'SomeResourcesRemain',
        message: `Some resources are remaining: ${listed(
          left.map(
            ({ resource, objects, hasMore }) =>
              `${resource} has ${objects.length}${hasMore ? ' or more' : ''} resource instances`,
          ),
        )}`,
      },
    ),
    condition(
      'NamespaceFinalizersRemaining',
      { reason: 'ContentHasNoFinalizers', message: 'All content-preserving finalizers finished' },
      held.size > 0 && {
        reason: 'SomeFinalizersRemain',
        message: `Some content in the namespace has finalizers remaining: ${listed(
          [...held].map(([name, count]) => `${name} in ${count} resource instances`),
        )}`,
      },
    ),
  ]
}

type Why = Pick<Condition, 'reason' | 'message'>

/** False says that all is well: these conditions name what is wrong. */
const condition = (type: string, well: Why, wrong: Why | false = false): Condition =>
  wrong ? { type, status: 'True', ...wrong } : { type, status: 'False', ...well }

/** Sorted, so that the message changes only with its content. */
const listed = (parts: readonly string[]) => parts.toSorted().join(', ')

function finalizersIn(remaining: readonly Remaining[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const { metadata } of remaining.flatMap(({ objects }) => objects)) {
    for (const name of metadata.finalizers ?? []) counts.set(name, (counts.get(name) ?? 0) + 1)
  }
  return counts
}

const FINALIZER = 'kubernetes'

/** Once it is empty. */
export function withoutFinalizer(namespace: Namespace): Namespace {
  const finalizers = (namespace.spec?.finalizers ?? []).filter((name) => name !== FINALIZER)
  return { ...namespace, spec: { ...namespace.spec, finalizers } }
}

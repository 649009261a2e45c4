/**
 * A strategic merge patch that turns the stored Node into the new one. It holds the differences
 * only, and neither resourceVersion nor uid, so it never conflicts.
 */
import { deepEqual } from '../../shared/kube/json.ts'
import type { Node, NodeAddress, NodeCondition, NodeStatus } from '../../shared/kube/objects.ts'

type Members = Readonly<Record<string, unknown>>

export function statusPatch(before: Node, after: Node): Members {
  const metadata = {
    ...changedMap('labels', before.metadata.labels, after.metadata.labels),
    ...changedMap('annotations', before.metadata.annotations, after.metadata.annotations),
  }
  const status = statusDifference(before.status ?? {}, after.status ?? {})
  return {
    ...(Object.keys(metadata).length > 0 && { metadata }),
    ...(Object.keys(status).length > 0 && { status }),
  }
}

function statusDifference(before: NodeStatus, after: NodeStatus): Members {
  const { conditions: oldConditions = [], addresses: oldAddresses = [], ...oldRest } = before
  const { conditions = [], addresses = [], ...rest } = after
  return {
    ...difference(oldRest, rest),
    ...conditionsDifference(oldConditions, conditions),
    ...addressesDifference(oldAddresses, addresses),
  }
}

/**
 * Merged by type, field by field; conditions of other writers are not in the patch and stay. One of
 * ours that is gone is deleted by name.
 */
function conditionsDifference(
  before: readonly NodeCondition[],
  after: readonly NodeCondition[],
): Members {
  const changed = after.flatMap((condition) => {
    const old = before.find(({ type }) => type === condition.type)
    const fields = difference((old ?? {}) as Members, condition as unknown as Members)
    return Object.keys(fields).length === 0 ? [] : [{ ...fields, type: condition.type }]
  })
  const removed = before
    .filter((old) => !after.some(({ type }) => type === old.type))
    .map(({ type }) => ({ $patch: 'delete', type }))
  if (changed.length + removed.length === 0) return {}
  return {
    '$setElementOrder/conditions': after.map(({ type }) => ({ type })),
    conditions: [...changed, ...removed],
  }
}

/**
 * Addresses are declared as merged by type although several may share one, so a merge would lose
 * some. Where there were addresses before, `$patch: replace` replaces the whole list.
 */
function addressesDifference(
  before: readonly NodeAddress[],
  after: readonly NodeAddress[],
): Members {
  if (deepEqual(before, after)) return {}
  return { addresses: before.length === 0 ? after : [...after, { $patch: 'replace' }] }
}

function changedMap(name: string, before: Members = {}, after: Members = {}): Members {
  const changes = difference(before, after)
  return Object.keys(changes).length > 0 ? { [name]: changes } : {}
}

/** Maps are merged, lists and scalars replaced, null removes. */
function difference(before: Members, after: Members): Members {
  const changes: Record<string, unknown> = {}
  for (const [key, value] of Object.entries(after)) {
    const old = before[key]
    if (value === undefined || deepEqual(old, value)) continue
    changes[key] = isMap(old) && isMap(value) ? difference(old, value) : value
  }
  for (const key of Object.keys(before)) {
    if (after[key] === undefined && before[key] !== undefined) changes[key] = null
  }
  return changes
}

const isMap = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

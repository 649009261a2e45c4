/**
 * Empties namespaces that were deleted, a bounded part in each tick, then removes them. The api wrote
 * a record with the deletion, so no list of namespaces is read here. A monitor that dies half-way
 * leaves the record; the next one goes on. A record outlives its namespace by a while: whatever was
 * being created when the namespace went is found and deleted too.
 */
import { namespaces as resource } from '../../../../shared/kube/namespace/resource.ts'
import type { Namespace } from '../../../../shared/kube/objects.ts'
import { isDeletable } from '../../../../shared/lifecycle/deletion-plan.ts'
import {
  isNothingLeft,
  type Remaining,
  withoutFinalizer,
  withProgress,
} from '../../../../shared/lifecycle/namespaces/namespace-deletion.ts'
import {
  TERMINATING_PREFIX,
  type TerminatingNamespace,
} from '../../../../shared/lifecycle/record-names.ts'
import type {
  Store,
  StoredLease,
  StoredObject,
  StoredRecord,
  WriteStep,
} from '../../../../shared/store/ports.ts'
import { inChunks } from '../../apply/commit-batch.ts'
import { type ApplyContext, commitCounted } from '../../apply/context.ts'
import type { MonitorFeature } from '../../chores/chore.ts'
import { type Allowance, deletePods, deleteRest, isSpent } from './namespace-content.ts'

/**
 * As in Kubernetes: requests that are under way when a namespace is deleted end first. `kubectl delete
 * -f` deletes the namespace in a file and then what else is in the file.
 */
const GRACE_MS = 5_000
const NAMESPACES_A_TICK = 20
const DELETIONS_A_TICK = 500
/** Most of the time of each goes by in waiting for reads. */
const TOGETHER = 5
/** Deadlines of nodes are worked off after it. */
const BUDGET_MS = 500
/** Longer than a creation that had looked at the namespace can take to be written. */
const LINGER_MS = 30_000
/** One that is held up, by a dead host or a finalizer, is looked at less and less often. */
const MAX_PAUSE_MS = 60_000
const PAUSE_SHARE = 10

type TerminatingRecord = StoredRecord<TerminatingNamespace>

export const namespaceDeletionFeature: MonitorFeature = {
  chore() {
    const lastAtMs = new Map<string, number>()
    return {
      name: 'empty namespaces',
      everyMs: 0,
      work: (context) => emptyNamespaces(context, lastAtMs),
    }
  },
}

async function emptyNamespaces(
  context: ApplyContext,
  lastAtMs: Map<string, number>,
): Promise<void> {
  const { deps, nowMs } = context
  const records = await deps.store.records.list<TerminatingNamespace>(TERMINATING_PREFIX)
  const last = ({ name }: TerminatingRecord) => lastAtMs.get(name) ?? 0
  const isDue = (record: TerminatingRecord) =>
    ageMs(record, nowMs) >= GRACE_MS && nowMs - last(record) >= pauseMs(record, nowMs)
  const turn = records
    .filter(isDue)
    .toSorted((a, b) => last(a) - last(b))
    .slice(0, NAMESPACES_A_TICK)
  for (const name of lastAtMs.keys()) {
    if (!records.some((record) => record.name === name)) lastAtMs.delete(name)
  }
  for (const { name } of turn) lastAtMs.set(name, nowMs)
  await emptyInTurn(context, turn)
}

/** A record's version is when it was written, in microseconds. */
const ageMs = ({ version }: TerminatingRecord, nowMs: number): number => nowMs - version / 1_000

const pauseMs = (record: TerminatingRecord, nowMs: number): number =>
  Math.min(MAX_PAUSE_MS, ageMs(record, nowMs) / PAUSE_SHARE)

interface Turn {
  readonly record: TerminatingRecord
  /** Absent when it is gone. */
  readonly namespace: StoredObject | undefined
  readonly pods: Remaining
}

async function emptyInTurn(
  context: ApplyContext,
  records: readonly TerminatingRecord[],
): Promise<void> {
  const { clock, store } = context.deps
  const endMs = clock() + BUDGET_MS
  const allowance: Allowance = { deletions: DELETIONS_A_TICK, isOver: () => clock() > endMs }
  const turns: Turn[] = []
  for (const some of inChunks(records, TOGETHER)) {
    if (isSpent(allowance)) break
    const begun = await Promise.all(some.map((record) => beginTurn(context, record, allowance)))
    turns.push(...begun.filter((turn) => turn !== undefined))
  }
  const isFree = ({ pods }: Turn) => isNothingLeft([pods])
  const free = turns.filter(isFree)
  for (const turn of turns.filter((one) => !isFree(one))) {
    await finishTurn(context, turn, [turn.pods])
  }
  if (free.length === 0) return
  const leases = await leasesIn(
    store,
    free.map(({ record }) => record.value.namespace),
  )
  const finish = async (turn: Turn) => {
    const { namespace } = turn.record.value
    const its = leases.filter(({ key }) => key.namespace === namespace)
    await finishTurn(context, turn, await deleteRest(context, namespace, its, allowance))
  }
  for (const some of inChunks(free, TOGETHER)) {
    if (isSpent(allowance)) break
    await Promise.all(some.map(finish))
  }
}

async function beginTurn(
  context: ApplyContext,
  record: TerminatingRecord,
  allowance: Allowance,
): Promise<Turn | undefined> {
  const { store } = context.deps
  const { namespace: name, uid } = record.value
  const namespace = await store.objects.get('namespaces', { namespace: '', name })
  // The name was taken again: what is in it now belongs to the new one.
  if (namespace && namespace.uid !== uid) {
    await commit(context, [{ do: 'dropRecord', name: record.name, believed: record.version }])
    return undefined
  }
  return { record, namespace, pods: await deletePods(context, name, allowance) }
}

/** Consistent: what was created before the namespace was deleted must be found. */
async function leasesIn(store: Store, namespaces: readonly string[]): Promise<StoredLease[]> {
  const found: StoredLease[] = []
  for await (const page of store.leases.scan({ namespaces, consistent: true })) found.push(...page)
  return found
}

async function finishTurn(
  context: ApplyContext,
  { record, namespace }: Turn,
  remaining: readonly Remaining[],
): Promise<void> {
  if (namespace && isNothingLeft(remaining))
    return await removeNamespace(context, record, namespace)
  if (namespace) return await showProgress(context, namespace, remaining)
  await linger(context, record)
}

async function removeNamespace(
  context: ApplyContext,
  record: TerminatingRecord,
  believed: StoredObject,
): Promise<void> {
  const object = withoutFinalizer(believed.object as Namespace)
  if (isDeletable('namespaces', object)) {
    await commit(context, [{ do: 'deleteObject', believed }, removedNow(record, context.nowMs)])
    return
  }
  // Another finalizer holds it: the update that takes it away removes the namespace.
  const fields = resource.selectable(object)
  await commit(context, [
    { do: 'replaceObject', believed, object, fields },
    { do: 'dropRecord', name: record.name, believed: record.version },
  ])
}

async function showProgress(
  context: ApplyContext,
  believed: StoredObject,
  remaining: readonly Remaining[],
): Promise<void> {
  const namespace = believed.object as Namespace
  const object = withProgress(namespace, remaining, context.nowMs)
  if (object === namespace) return
  const fields = resource.selectable(object)
  await commit(context, [{ do: 'replaceObject', believed, object, fields }])
}

async function linger(context: ApplyContext, record: TerminatingRecord): Promise<void> {
  const { removedAtMs } = record.value
  // A client took the finalizers away by hand, and the namespace went before it was empty.
  if (removedAtMs === undefined) return await commit(context, [removedNow(record, context.nowMs)])
  if (context.nowMs - removedAtMs < LINGER_MS) return
  await commit(context, [{ do: 'dropRecord', name: record.name, believed: record.version }])
}

const removedNow = (
  { name, value, version }: TerminatingRecord,
  removedAtMs: number,
): WriteStep => ({
  do: 'putRecord',
  name,
  value: { ...value, removedAtMs } satisfies TerminatingNamespace,
  believed: version,
})

/** Outrun: another monitor or client was faster, and the next tick sees what it wrote. */
async function commit(context: ApplyContext, steps: readonly WriteStep[]): Promise<void> {
  await commitCounted(context, 'deleteNamespace', [{ of: undefined, steps }])
}

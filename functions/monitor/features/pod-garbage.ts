/** Every 20 s: pods that no host looks after any more, and leases whose node is gone. */
import type { Lease, OwnerReference } from '../../../shared/kube/objects.ts'
import {
  decideGarbage,
  findSuspects,
  type GarbageAction,
  judgeLease,
} from '../../../shared/lifecycle/garbage/garbage.ts'
import type { Quarantine } from '../../../shared/lifecycle/garbage/pod-garbage.ts'
import type { World } from '../../../shared/lifecycle/world.ts'
import { nodeLeaseNamespace } from '../../../shared/store/lease-state.ts'
import type { Store, StoredLease } from '../../../shared/store/ports.ts'
import type { BatchResult } from '../apply/commit-batch.ts'
import {
  type ApplyContext,
  commitCounted,
  countResult,
  readWhole,
  replaced,
  replacePod,
  runJobs,
} from '../apply/context.ts'
import { confirmGone, removalSteps } from '../apply/pods.ts'
import type { MonitorFeature } from '../chores/chore.ts'

const EVERY_MS = 20_000
const QUARANTINE_RECORD = 'quarantine'

export const podGarbageFeature: MonitorFeature = {
  chore: () => ({
    name: 'collect garbage',
    everyMs: EVERY_MS,
    work: (context, { world }) => collectGarbage(context, world),
  }),
}

async function collectGarbage(context: ApplyContext, world: World): Promise<void> {
  const { deps, nowMs } = context
  const { store, settings } = deps
  const stored = await store.records.get<Quarantine>(QUARANTINE_RECORD)
  const before = stored?.value ?? {}
  const suspects = findSuspects(world, before, nowMs)
  const { quarantine, names } = suspects
  if (JSON.stringify(quarantine) !== JSON.stringify(before)) {
    const believed = stored && { believed: stored.version }
    const step = { name: QUARANTINE_RECORD, value: quarantine, ...believed }
    // Before the reads: where one fails, another quarantine is served. Outrun: another monitor keeps it.
    await store.commit([{ do: 'putRecord', ...step }])
  }
  const uids = await nodeUids(store, names)
  const read = new Map(names.map((name) => [name, uids.get(name)]))
  const actions = decideGarbage({ world, suspects, read, nowMs, settings })
  await removePods(
    context,
    actions.filter((action) => action.do === 'deletePod'),
  )
  await dropLeases(
    context,
    actions.filter((action) => action.do === 'dropLease'),
  )
}

/** Name -> uid, read consistently whatever the cache says; a name that is missing has no node. */
async function nodeUids(
  { objects }: Store,
  names: Iterable<string>,
): Promise<ReadonlyMap<string, string>> {
  const keys = [...new Set(names)].map((name) => ({ namespace: '', name }))
  const nodes = keys.length > 0 ? await objects.read('nodes', keys, 'lean') : []
  return new Map(nodes.map(({ key, uid }) => [key.name, uid]))
}

// ---- pods ---------------------------------------------------------------------------------------

type PodRemoval = Extract<GarbageAction, { readonly do: 'deletePod' }>

async function removePods(context: ApplyContext, removals: readonly PodRemoval[]): Promise<void> {
  const { counters } = context.actionCounts
  const jobs = removals.map((removal) => async () => {
    const { reason, pod } = removal
    const labels = { namespace: pod.key.namespace, reason }
    counters.push({ name: 'pod_gc_collector_force_delete_pods_total', labels })
    if (await removePod(context, removal)) return
    counters.push({ name: 'pod_gc_collector_force_delete_pod_errors_total', labels })
  })
  await runJobs(context, jobs)
}

/** Written as failed first, if it still ran: a client that watches sees how it ended. */
async function removePod(context: ApplyContext, removal: PodRemoval): Promise<boolean> {
  const { pod, patched, reason } = removal
  const shared = reason === 'orphaned' ? [confirmGone(pod)] : []
  const [whole] = await readWhole(context, 'deletePod', [{ pod }])
  if (!whole) return false
  let last = whole.stored
  if (patched) {
    const step = replacePod({ ...whole, next: patched, emits: [] })
    const items = [{ of: step, steps: [step] }]
    const [done] = await commitCounted(context, 'deletePod', items, shared)
    if (!done) return false
    const written = replaced(step, done.versions[0]!)
    context.pods.put(written)
    last = written
  }
  const items = [{ of: last, steps: removalSteps(last) }]
  const [done] = await commitCounted(context, 'deletePod', items, shared)
  if (done) context.pods.drop(pod.key)
  return done !== undefined
}

// ---- leases -------------------------------------------------------------------------------------

type LeaseDrop = Extract<GarbageAction, { readonly do: 'dropLease' }>

async function dropLeases(context: ApplyContext, drops: readonly LeaseDrop[]): Promise<void> {
  const jobs = drops.map((drop) => async () => {
    const result = await dropLease(context.deps.store, drop)
    if (result !== 'kept') countResult(context, 'dropLease', result)
  })
  await runJobs(context, jobs)
}

/**
 * A host has renewed it since it was judged: then the lease stays. So it does, with fewer owners,
 * while one of them lives: the suspicion rested on the first alone.
 */
async function dropLease(
  store: Store,
  { name, version }: LeaseDrop,
): Promise<BatchResult<string> | 'kept'> {
  const { leases } = store
  try {
    const believed = await leases.get({ namespace: nodeLeaseNamespace, name })
    if (believed?.version !== version) return { kind: 'outrun', of: name }
    const verdict = await judge(store, believed)
    if (verdict.kind === 'keep') return 'kept'
    const { kind } =
      verdict.kind === 'delete'
        ? await leases.remove(believed)
        : await leases.replace(withOwners(believed, verdict.ownerReferences), believed)
    return kind === 'removed' || kind === 'replaced'
      ? { kind: 'done', of: name, versions: [] }
      : { kind: 'outrun', of: name }
  } catch (error) {
    return { kind: 'failed', of: name, error }
  }
}

async function judge(store: Store, { object }: StoredLease) {
  const owners = object.metadata.ownerReferences ?? []
  const uids = await nodeUids(
    store,
    owners.map(({ name }) => name),
  )
  return judgeLease(owners, (name) => uids.get(name))
}

function withOwners({ object }: StoredLease, ownerReferences: readonly OwnerReference[]): Lease {
  return { ...object, metadata: { ...object.metadata, ownerReferences } }
}

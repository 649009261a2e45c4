/** Deletes what is in a namespace, resource by resource, as a client would delete each object. */
import type { KubeObject, Lease, Pod } from '../../../../shared/kube/objects.ts'
import { resources } from '../../../../shared/kube/registry.ts'
import type { Resource } from '../../../../shared/kube/resource.ts'
import { planDeletion } from '../../../../shared/lifecycle/deletion-plan.ts'
import type { Remaining } from '../../../../shared/lifecycle/namespaces/namespace-deletion.ts'
import type { StoredLease, StoredObject, WriteStep } from '../../../../shared/store/ports.ts'
import { inChunks } from '../../apply/commit-batch.ts'
import { type ApplyContext, commitCounted, runJobs } from '../../apply/context.ts'

/** Shared by all namespaces of a tick, so that judging nodes never waits long for it. */
export interface Allowance {
  deletions: number
  readonly isOver: () => boolean
}

const ACTION = 'emptyNamespace'
/** Object, tombstone and a host's inbox: three items each, a hundred to a transaction. */
const TOGETHER = 33
const PAGE_SIZE = 200

const inNamespaces = resources.filter(({ namespaced, storedForm }) => namespaced && !storedForm)
const pods = inNamespaces.find(({ plural }) => plural === 'pods')!
const leases = inNamespaces.find(({ plural }) => plural === 'leases')!
const others = inNamespaces.filter((resource) => resource !== pods && resource !== leases)

export const deletePods = (context: ApplyContext, namespace: string, allowance: Allowance) =>
  deleteObjects(context, pods, namespace, allowance)

/** Pods run, and may need the rest until they have ended: this comes after them. */
export async function deleteRest(
  context: ApplyContext,
  namespace: string,
  itsLeases: readonly StoredLease[],
  allowance: Allowance,
): Promise<readonly Remaining[]> {
  const remaining = [await deleteLeases(context, itsLeases, allowance)]
  for (const resource of others) {
    remaining.push(await deleteObjects(context, resource, namespace, allowance))
  }
  return remaining
}

async function deleteObjects(
  context: ApplyContext,
  resource: Resource,
  namespace: string,
  allowance: Allowance,
): Promise<Remaining> {
  const { store } = context.deps
  const left: KubeObject[] = []
  let failed = 0
  let hasMore = true
  for (let after: StoredObject | undefined; hasMore && !isSpent(allowance); ) {
    const request = { namespace, limit: PAGE_SIZE, ...(after && { after: after.key }) }
    const page = await store.objects.list(resource.plural, request)
    const deleted = await deletePage(context, resource, page.items, allowance)
    left.push(...deleted.left)
    failed += deleted.failed
    after = page.items.at(-1)
    hasMore = page.more && after !== undefined
  }
  return { resource: nameOf(resource), objects: left, hasMore, failed }
}

const nameOf = ({ plural, group }: Resource) => `${plural}.${group}`
export const isSpent = ({ deletions, isOver }: Allowance) => deletions <= 0 || isOver()

async function deletePage(
  context: ApplyContext,
  resource: Resource,
  items: readonly StoredObject[],
  allowance: Allowance,
) {
  const planned = items.map((item) => ({ item, ...stepsFor(resource, item, context.nowMs) }))
  const wanted = planned.filter(({ steps }) => steps.length > 0).slice(0, allowance.deletions)
  allowance.deletions -= wanted.length
  const done = new Set<StoredObject>()
  const jobs = inChunks(wanted, TOGETHER).map((chunk) => async () => {
    const batch = chunk.map(({ item, steps }) => ({ of: item, steps }))
    for (const { of } of await commitCounted(context, ACTION, batch)) done.add(of)
  })
  await runJobs(context, jobs)
  const isGone = ({ item, removes }: (typeof planned)[number]) => removes && done.has(item)
  if (resource === pods) {
    for (const { item } of planned.filter(isGone)) context.pods.drop(item.key)
  }
  return {
    left: planned.filter((one) => !isGone(one)).map(({ item }) => item.object),
    failed: wanted.filter(({ item }) => !done.has(item)).length,
  }
}

function stepsFor(
  { plural, selectable }: Resource,
  believed: StoredObject,
  nowMs: number,
): { readonly steps: readonly WriteStep[]; readonly removes: boolean } {
  const plan = planDeletion({ plural, object: believed.object, nowMs })
  if (plan.kind === 'keep') return { steps: [], removes: false }
  const nodeName = plural === 'pods' ? (believed.object as Pod).spec?.nodeName : undefined
  const inbox: WriteStep[] = nodeName ? [{ do: 'raiseInbox', nodeName }] : []
  if (plan.kind === 'remove') {
    return { steps: [{ do: 'deleteObject', believed }, ...inbox], removes: true }
  }
  const { object } = plan
  const mark: WriteStep = { do: 'replaceObject', believed, object, fields: selectable(object) }
  return { steps: [mark, ...inbox], removes: false }
}

async function deleteLeases(
  context: ApplyContext,
  items: readonly StoredLease[],
  allowance: Allowance,
): Promise<Remaining> {
  const left = new Set(items)
  let failed = 0
  const jobs = items.slice(0, Math.max(0, allowance.deletions)).map((lease) => async () => {
    if (allowance.isOver()) return
    allowance.deletions -= 1
    const outcome = await deleteLease(context, lease)
    if (outcome === 'removed') left.delete(lease)
    if (outcome === 'outrun') failed += 1
  })
  await runJobs(context, jobs)
  return {
    resource: nameOf(leases),
    objects: [...left].map(({ object }) => object),
    hasMore: false,
    failed,
  }
}

async function deleteLease(
  { deps, nowMs }: ApplyContext,
  lease: StoredLease,
): Promise<'removed' | 'marked' | 'outrun'> {
  const plan = planDeletion({ plural: leases.plural, object: lease.object, nowMs })
  if (plan.kind === 'keep') return 'marked'
  const { kind } =
    plan.kind === 'remove'
      ? await deps.store.leases.remove(lease)
      : await deps.store.leases.replace(plan.object as Lease, lease)
  // Renewed meanwhile: the next tick finds its new state.
  if (kind === 'outrun' || kind === 'held') return 'outrun'
  return plan.kind === 'remove' ? 'removed' : 'marked'
}

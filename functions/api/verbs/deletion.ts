/** How does an object go? DELETE and eviction both end here. */
import type { KubeObject } from '../../../shared/kube/objects.ts'
import { conflict, modified, notFound } from '../../../shared/kube/status-error.ts'
import { type Shelf, type Stored, shelfOf, type Written } from '../memory/shelf.ts'
import { refuseNamespaceDeletion } from '../namespaces/deletable.ts'
import { orphanLease } from '../nodes/orphaned-lease.ts'
import { admit } from '../request/resource-access.ts'
import type { ResourceRequest } from '../request/resource-request.ts'
import type { DeleteOptions } from './delete-options.ts'
import { graceOf, planDeletion } from './deletion-plan.ts'

export interface Deletion {
  readonly kind: 'removed' | 'marked'
  readonly object: KubeObject
}

const TRIES = 5

/** What is to be left on an object that goes, so that whoever sees it go can tell why. */
type Farewell = (object: KubeObject) => KubeObject

export async function deleteObject(
  request: ResourceRequest,
  options: DeleteOptions,
  farewell: Farewell = (object) => object,
): Promise<Deletion> {
  const { api, resource, key, nowMs } = request
  const shelf = shelfOf(api.store, resource, nowMs)
  let found: Stored | undefined
  for (let attempt = 0; attempt < TRIES; attempt++) {
    found ??= await shelf.get(key)
    if (!found) throw notFound(resource, key.name)
    checkPreconditions(request, options, found)
    // An eviction is made and not deleted, though a pod goes by it.
    const operation = request.verb === 'create' ? 'create' : 'delete'
    await admit(request, { operation, old: found.object })
    if (resource.plural === 'namespaces') await refuseNamespaceDeletion(request)
    const leaving = { found, last: farewell(found.object) }
    const outcome = await attemptDeletion(request, options, shelf, leaving)
    if ('object' in outcome) return outcome
    found = outcome.kind === 'outrun' ? outcome.found : undefined
  }
  throw modified(resource, key.name)
}

async function attemptDeletion(
  { api, resource, nowMs }: ResourceRequest,
  options: DeleteOptions,
  shelf: Shelf,
  { found, last }: Leaving,
): Promise<Deletion | Written> {
  const dryRun = (options.dryRun ?? []).length > 0
  const grace = graceOf(resource.plural, last, options.gracePeriodSeconds)
  const plan = planDeletion(last, grace, nowMs)
  if (plan.kind === 'remove') {
    if (dryRun) return { kind: 'removed', object: last }
    const leavesLease = resource.plural === 'nodes' && isOrphaning(options)
    if (leavesLease) await orphanLease(api.store, found.object)
    const marked = last === found.object ? undefined : plan.marked
    return await removeAfter(shelf, found, { marked, leavesLease })
  }
  const next = plan.kind === 'mark' ? plan.object : last
  if (dryRun || next === found.object) return { kind: 'marked', object: next }
  const outcome = await shelf.replace(next, found)
  return outcome.kind === 'written' ? { kind: 'marked', object: outcome.now.object } : outcome
}

interface Leaving {
  readonly found: Stored
  /** As found, with what the farewell left on it. */
  readonly last: KubeObject
}

interface Removal {
  /** With the farewell on it, if there was one. */
  readonly marked: KubeObject | undefined
  readonly leavesLease: boolean
}

/**
 * A farewell needs a write of its own, or nobody would ever see it. Dying between the two leaves an
 * object whose time is up, which the monitor removes.
 */
async function removeAfter(
  shelf: Shelf,
  found: Stored,
  { marked, leavesLease }: Removal,
): Promise<Deletion | Written> {
  const told = marked && (await shelf.replace(marked, found))
  if (told && told.kind !== 'written') return told
  const gone = { ...found, ...told?.now }
  const outcome = await shelf.remove(gone, leavesLease)
  return outcome.kind === 'written' ? { kind: 'removed', object: gone.object } : outcome
}

const isOrphaning = ({ propagationPolicy, orphanDependents }: DeleteOptions): boolean =>
  propagationPolicy === 'Orphan' || orphanDependents === true

function checkPreconditions(
  { resource, key }: ResourceRequest,
  { preconditions = {} }: DeleteOptions,
  found: Stored,
): void {
  const { uid, resourceVersion } = preconditions
  if (uid !== undefined && uid !== found.uid) {
    const why = `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${found.uid}`
    throw conflict(resource, key.name, why)
  }
  if (resourceVersion === undefined || resourceVersion === String(found.version)) return
  const why =
    `Precondition failed: ResourceVersion in precondition: ${resourceVersion}, ` +
    `ResourceVersion in object meta: ${found.version}`
  throw conflict(resource, key.name, why)
}

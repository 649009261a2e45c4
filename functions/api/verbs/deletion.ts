/** How does an object go? DELETE and eviction both end here. */
import type { KubeObject } from '../../../shared/kube/objects.ts'
import { conflict, modified, notFound } from '../../../shared/kube/status-error.ts'
import { type Shelf, type Stored, shelfOf, type Written } from '../memory/shelf.ts'
import { refuseNamespaceDeletion } from '../namespaces/deletable.ts'
import { admit } from '../request/resource-access.ts'
import type { ResourceRequest } from '../request/resource-request.ts'
import type { DeleteOptions } from './delete-options.ts'
import { graceOf, planDeletion } from './deletion-plan.ts'

export interface Deletion {
  readonly kind: 'removed' | 'marked'
  readonly object: KubeObject
}

const TRIES = 5

export async function deleteObject(
  request: ResourceRequest,
  options: DeleteOptions,
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
    const outcome = await attemptDeletion(request, options, shelf, found)
    if ('object' in outcome) return outcome
    found = outcome.kind === 'outrun' ? outcome.found : undefined
  }
  throw modified(resource, key.name)
}

async function attemptDeletion(
  { resource, nowMs }: ResourceRequest,
  options: DeleteOptions,
  shelf: Shelf,
  found: Stored,
): Promise<Deletion | Written> {
  const dryRun = (options.dryRun ?? []).length > 0
  const grace = graceOf(resource.plural, found.object, options.gracePeriodSeconds)
  const plan = planDeletion(found.object, grace, nowMs)
  if (plan.kind === 'keep') return { kind: 'marked', object: found.object }
  if (plan.kind === 'mark') {
    if (dryRun) return { kind: 'marked', object: plan.object }
    const outcome = await shelf.replace(plan.object, found)
    return outcome.kind === 'written' ? { kind: 'marked', object: outcome.now.object } : outcome
  }
  if (dryRun) return { kind: 'removed', object: found.object }
  const outcome = await shelf.remove(found)
  return outcome.kind === 'written' ? { kind: 'removed', object: found.object } : outcome
}

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

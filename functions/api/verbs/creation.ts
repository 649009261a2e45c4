/** How does an object come into being? POST, PUT to a free name and apply all end here. */
import type { KubeObject, ObjectMeta } from '../../../shared/kube/objects.ts'
import {
  alreadyExists,
  badRequest,
  invalid,
  StatusError,
} from '../../../shared/kube/status-error.ts'
import { formatTime } from '../../../shared/kube/time.ts'
import { requireLivingNode } from '../leases/living-node.ts'
import { type Shelf, type Stored, shelfOf, type Written } from '../memory/shelf.ts'
import { requireNamespace } from '../namespaces/open-namespace.ts'
import { withInstallTolerations } from '../pods/install-tolerations.ts'
import { checkSize } from '../request/object-size.ts'
import { admit } from '../request/resource-access.ts'
import type { ResourceRequest } from '../request/resource-request.ts'
import { generateName } from './generated-name.ts'
import { withoutManagers } from './managed-fields.ts'

// As kube-apiserver: with 27^5 endings eight misses mean that something else is wrong.
const NAME_TRIES = 8

export async function createObject(
  request: ResourceRequest,
  body: KubeObject,
  dryRun: boolean,
): Promise<Stored> {
  refuseVersion(body.metadata)
  const { resource } = request
  const admitted = withInstallTolerations(request, withServerFields(request, body))
  const draft = resource.prepareForCreate(admitted)
  await requireNamespace(request, draft.metadata.name ?? '')
  await requireLivingNode(request)

  const shelf = shelfOf(request.api.store, resource, request.nowMs)
  const tries = draft.metadata.generateName && !draft.metadata.name ? NAME_TRIES : 1
  let name = ''
  for (let attempt = 0; attempt < tries; attempt++) {
    const candidate = named(draft, request.api.random)
    name = candidate.metadata.name ?? ''
    await check(request, candidate)
    const object = withoutManagers(candidate)
    const outcome = await (dryRun ? rehearse(shelf, object) : shelf.create(object))
    if (outcome.kind === 'written') return outcome.now
  }
  throw tries === 1 ? alreadyExists(resource, name) : noFreeName(alreadyExists(resource, name))
}

function refuseVersion({ resourceVersion }: ObjectMeta): void {
  if (!resourceVersion || resourceVersion === '0') return
  throw badRequest('resourceVersion should not be set on objects to be created')
}

/** Whatever the client says of these, the server knows better. */
function withServerFields(request: ResourceRequest, body: KubeObject): KubeObject {
  const {
    uid: _uid,
    resourceVersion: _version,
    creationTimestamp: _created,
    deletionTimestamp: _deleted,
    deletionGracePeriodSeconds: _grace,
    namespace: _namespace,
    ...kept
  } = body.metadata
  const { namespace } = request.key
  return {
    ...body,
    metadata: {
      ...kept,
      ...(namespace && { namespace }),
      uid: request.api.uuid(),
      creationTimestamp: formatTime(request.nowMs),
    },
  }
}

function named(draft: KubeObject, random: () => number): KubeObject {
  const { name, generateName: prefix } = draft.metadata
  if (name || !prefix) return draft
  return { ...draft, metadata: { ...draft.metadata, name: generateName(prefix, random) } }
}

async function check(request: ResourceRequest, object: KubeObject): Promise<void> {
  const { resource } = request
  const name = object.metadata.name ?? ''
  await admit(request, { operation: 'create', object })
  const errors = resource.validateCreate(object)
  if (errors.length > 0) throw invalid(resource, name, errors)
  checkSize(request, object)
}

/**
 * A dry run meets everything but the write. What it shows has no resourceVersion, because nothing
 * has.
 */
async function rehearse(shelf: Shelf, object: KubeObject): Promise<Written> {
  const { name = '', namespace = '', uid = '' } = object.metadata
  const key = { namespace, name }
  const found = await shelf.get(key)
  if (found) return { kind: 'outrun', found }
  return { kind: 'written', now: { key, uid, version: 0, object } }
}

function noFreeName({ body }: StatusError): StatusError {
  const hint = 'the server was not able to generate a unique name for the object; try again'
  return new StatusError(409, 'AlreadyExists', `${body.message}, ${hint}`, body.details)
}

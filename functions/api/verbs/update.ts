/** PUT: the body is the whole object. */
import type { KubeObject } from '../../../shared/kube/objects.ts'
import { notFound } from '../../../shared/kube/status-error.ts'
import type { ResourceRequest } from '../deps.ts'
import { authoriseVerb } from '../request/access.ts'
import { decodeResource } from '../request/body.ts'
import { writeOptions } from '../request/options.ts'
import { respondWithStored } from '../response/object-response.ts'
import type { Stored } from '../storage/resource-storage.ts'
import { changeObject, uidConflict } from './change.ts'
import { createObject } from './create.ts'

export async function update(request: ResourceRequest): Promise<Response> {
  const { dryRun, fieldValidation } = writeOptions(request.query, 'UpdateOptions')
  const { object, warnings } = await decodeResource(request, fieldValidation)
  return await putObject(request, { object, warnings, dryRun })
}

interface Put {
  readonly object: KubeObject
  readonly warnings: readonly string[]
  readonly dryRun: boolean
  /** What is stored, where the caller has just read it. */
  readonly found?: Stored
}

export async function putObject(request: ResourceRequest, put: Put): Promise<Response> {
  const { object, warnings, dryRun, found } = put
  const changed = await changeObject(request, { propose: () => object, dryRun, found })
  if (changed) return await respondWithStored(request, changed, { warnings })
  const created = await createByPut(request, object, dryRun)
  return await respondWithStored(request, created, { status: 201, warnings })
}

async function createByPut(request: ResourceRequest, object: KubeObject, dryRun: boolean) {
  const { resource, key, subresource } = request
  if (!resource.createOnUpdate || subresource) throw notFound(resource, key.name)
  const { uid } = object.metadata
  // A uid means the object the client read: it is gone, and a new one must not pass for it.
  if (uid) throw uidConflict(request, uid, '')
  authoriseVerb(request, 'create')
  const metadata = { ...object.metadata, name: key.name, resourceVersion: undefined }
  return await createObject(request, { ...object, metadata }, dryRun)
}

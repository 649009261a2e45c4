/** PUT: the body is the whole object. */
import type { KubeObject } from '../../../shared/kube/objects.ts'
import { conflict, notFound } from '../../../shared/kube/status-error.ts'
import { answerStored } from '../answer/object-answer.ts'
import type { Stored } from '../memory/shelf.ts'
import { decodeResource } from '../request/decode.ts'
import { writeOptions } from '../request/options.ts'
import { authoriseVerb } from '../request/resource-access.ts'
import type { ResourceRequest } from '../request/resource-request.ts'
import { changeObject } from './change.ts'
import { createObject } from './creation.ts'

export async function update(request: ResourceRequest): Promise<Response> {
  const { dryRun, fieldValidation } = writeOptions(request.query, 'UpdateOptions')
  const { object, warnings } = await decodeResource(request, fieldValidation)
  return await putObject(request, { object, warnings, dryRun })
}

export interface Put {
  readonly object: KubeObject
  readonly warnings: readonly string[]
  readonly dryRun: boolean
  /** What is there, where somebody has just looked. */
  readonly found?: Stored
}

export async function putObject(request: ResourceRequest, put: Put): Promise<Response> {
  const { object, warnings, dryRun, found } = put
  const changed = await changeObject(request, { propose: () => object, dryRun, found })
  if (changed) return await answerStored(request, changed, { warnings })
  const created = await createByPut(request, object, dryRun)
  return await answerStored(request, created, { status: 201, warnings })
}

async function createByPut(request: ResourceRequest, object: KubeObject, dryRun: boolean) {
  const { resource, key, subresource } = request
  if (!resource.createOnUpdate || subresource) throw notFound(resource, key.name)
  const { uid } = object.metadata
  // A uid says "the one I saw": that one is gone, and a new one must not pass for it.
  if (uid) {
    const why = `Precondition failed: UID in precondition: ${uid}, UID in object meta: `
    throw conflict(resource, key.name, why)
  }
  authoriseVerb(request, 'create')
  const metadata = { ...object.metadata, name: key.name, resourceVersion: undefined }
  return await createObject(request, { ...object, metadata }, dryRun)
}

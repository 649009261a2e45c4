/** PATCH: the body says what is different. Without a version it is applied to whatever is there. */
import { decodeObject, MAX_FINDINGS } from '../../../shared/kube/decode.ts'
import type { KubeObject } from '../../../shared/kube/objects.ts'
import { applyPatch } from '../../../shared/kube/patch/apply-patch.ts'
import { badRequest, notFound, StatusError } from '../../../shared/kube/status-error.ts'
import { groupVersion } from '../../../shared/kube/table.ts'
import { answerStored } from '../answer/object-answer.ts'
import type { Stored } from '../memory/shelf.ts'
import { checkPlace, withMetadata } from '../request/decode.ts'
import { authoriseVerb } from '../request/resource-access.ts'
import type { ResourceRequest } from '../request/resource-request.ts'
import { changeObject } from './change.ts'
import { createObject } from './creation.ts'
import { type PatchBody, readPatch } from './read-patch.ts'

export async function patch(request: ResourceRequest): Promise<Response> {
  return await patchObject(request, await readPatch(request))
}

export async function patchObject(
  request: ResourceRequest,
  body: PatchBody,
  found?: Stored,
): Promise<Response> {
  const { dryRun } = body.options
  let warnings: readonly string[] = []
  const propose = (old: KubeObject): KubeObject => {
    const patched = patchedObject(request, body, old)
    warnings = patched.warnings
    return patched.object
  }
  const changed = await changeObject(request, { propose, dryRun, found })
  if (changed) return await answerStored(request, changed, { warnings })
  if (body.type !== 'apply' || request.subresource) {
    throw notFound(request.resource, request.key.name)
  }
  authoriseVerb(request, 'create')
  const created = await createObject(request, propose(emptyObject(request)), dryRun)
  return await answerStored(request, created, { status: 201, warnings })
}

function emptyObject({ resource, key }: ResourceRequest): KubeObject {
  const metadata = { name: key.name, ...(key.namespace && { namespace: key.namespace }) }
  return { apiVersion: groupVersion(resource), kind: resource.kind, metadata }
}

function patchedObject(request: ResourceRequest, body: PatchBody, old: KubeObject) {
  const { resource } = request
  const { type, patch } = body
  const value = applyPatch({ type, patch, document: old, schema: resource.schema })
  const { object, unknown } = decodeObject(resource.schema, value)
  const next = withMetadata(object)
  if (next.kind !== old.kind || next.apiVersion !== old.apiVersion) {
    throw badRequest('a patch may not change kind or apiVersion')
  }
  checkPlace(request, next)
  const told = resource.warnings?.(next, request.subresource?.name) ?? []
  return { object: next, warnings: [...strayFields(body, unknown), ...told] }
}

/** What was stored is clean, so whatever the schema does not know came with the patch. */
function strayFields(
  { options, duplicates = [] }: PatchBody,
  unknown: readonly string[],
): readonly string[] {
  const findings = [
    ...duplicates.map((path) => `duplicate field ${JSON.stringify(path)}`),
    ...unknown.map((path) => `unknown field ${JSON.stringify(path)}`),
  ].slice(0, MAX_FINDINGS)
  if (options.fieldValidation === 'Ignore') return []
  if (options.fieldValidation === 'Warn' || findings.length === 0) return findings
  throw new StatusError(422, 'Invalid', `strict decoding error: ${findings.join(', ')}`, {})
}

/** PATCH: the body says what to change; without a version, of whatever state is stored. */
import { MAX_FINDINGS } from '../../../shared/kube/decode/body.ts'
import { decodeBySchema } from '../../../shared/kube/decode/object.ts'
import type { KubeObject } from '../../../shared/kube/objects.ts'
import { applyPatch } from '../../../shared/kube/patch/apply-patch.ts'
import { groupVersion } from '../../../shared/kube/resource.ts'
import { badRequest, notFound, StatusError } from '../../../shared/kube/status-error.ts'
import type { ResourceRequest } from '../deps.ts'
import { authoriseVerb } from '../request/access.ts'
import { checkPlace, withMetadata } from '../request/body.ts'
import { respondWithStored } from '../response/object-response.ts'
import type { Stored } from '../storage/resource-storage.ts'
import { changeObject } from './change.ts'
import { createObject } from './create.ts'
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
  if (changed) return await respondWithStored(request, changed, { warnings })
  if (body.type !== 'apply' || request.subresource) {
    throw notFound(request.resource, request.key.name)
  }
  authoriseVerb(request, 'create')
  const created = await createObject(request, propose(emptyObject(request)), dryRun)
  return await respondWithStored(request, created, { status: 201, warnings })
}

function emptyObject({ resource, key }: ResourceRequest): KubeObject {
  const metadata = { name: key.name, ...(key.namespace && { namespace: key.namespace }) }
  return { apiVersion: groupVersion(resource), kind: resource.kind, metadata }
}

function patchedObject(request: ResourceRequest, body: PatchBody, old: KubeObject) {
  const { resource } = request
  const { type, patch } = body
  const value = applyPatch({ type, patch, document: old, schema: resource.schema })
  const { object, unknown } = decodeBySchema(resource.schema, value)
  const next = withMetadata(object)
  if (next.kind !== old.kind || next.apiVersion !== old.apiVersion) {
    throw badRequest('a patch may not change kind or apiVersion')
  }
  checkPlace(request, next)
  const more = resource.warnings?.(next, request.subresource?.name) ?? []
  return { object: next, warnings: [...strayFields(body, unknown), ...more] }
}

/** Stored objects have no unknown fields, so every unknown field came with the patch. */
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

/** The body of a write as an object of the resource the URL names. */
import { decodeBody, type FieldValidation } from '../../../shared/kube/decode.ts'
import type { KubeObject } from '../../../shared/kube/objects.ts'
import { badRequest } from '../../../shared/kube/status-error.ts'
import { groupVersion } from '../../../shared/kube/table.ts'
import { readBody } from './body.ts'
import type { ResourceRequest } from './resource-request.ts'

export interface Decoded {
  readonly object: KubeObject
  readonly warnings: readonly string[]
}

export async function decodeResource(
  request: ResourceRequest,
  fieldValidation: FieldValidation,
): Promise<Decoded> {
  const { api, raw, resource } = request
  const { object, warnings } = await decodeBody({
    bytes: await readBody(raw, api.settings.bodyLimitBytes),
    contentType: raw.headers.get('content-type') ?? undefined,
    schema: resource.schema,
    expected: { apiVersion: groupVersion(resource), kind: resource.kind },
    fieldValidation,
  })
  const decoded = withMetadata(object)
  checkPlace(request, decoded)
  if (request.verb === 'update' && !decoded.metadata.name) throw nameless(request.key.name)
  const complete = resource.withDefaults(decoded)
  const told = resource.warnings?.(complete, request.subresource?.name) ?? []
  return { object: complete, warnings: [...warnings, ...told] }
}

/** A PUT is the whole object, and its name is part of it: without one it may be meant for another. */
const nameless = (name: string) =>
  badRequest(
    `the name of the object (${name} based on URL) was undeterminable: name must be provided`,
  )

export function withMetadata(object: Readonly<Record<string, unknown>>): KubeObject {
  return { ...object, metadata: object.metadata ?? {} }
}

/** The URL says which object is meant; a body may leave that out but not contradict it. */
export function checkPlace({ key, resource }: ResourceRequest, { metadata }: KubeObject): void {
  if (key.name && metadata.name && metadata.name !== key.name) {
    throw badRequest(
      `the name of the object (${metadata.name.slice(0, 253)}) does not match ` +
        `the name on the URL (${key.name})`,
    )
  }
  if (!resource.namespaced || !metadata.namespace || metadata.namespace === key.namespace) return
  throw badRequest(
    'the namespace of the provided object does not match the namespace sent on the request',
  )
}

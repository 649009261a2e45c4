/** One object on the wire, in the shape the client asked for. */

import { toPartialMetadata } from '../../../shared/kube/meta/partial-metadata.ts'
import type { KubeObject } from '../../../shared/kube/objects.ts'
import { toTable } from '../../../shared/kube/table.ts'
import type { StoredLease } from '../../../shared/store/ports.ts'
import type { ResourceRequest } from '../deps.ts'
import type { Stored } from '../storage/resource-storage.ts'
import { jsonHeaders, leaseHeaders, respondWithText } from './json-response.ts'

interface ResponseOptions {
  readonly status?: number
  readonly warnings?: readonly string[]
}

/** Leases have headers of their own: see leaseHeaders. */
export async function respondWithStored(
  request: ResourceRequest,
  stored: Stored,
  { status = 200, warnings = [] }: ResponseOptions = {},
): Promise<Response> {
  const headers = jsonHeaders(warnings)
  const more = 'inbox' in stored ? leaseHeaders(request.api, stored as StoredLease) : {}
  for (const [name, value] of Object.entries(more)) headers.set(name, value)
  const text = JSON.stringify(shapedObject(request, stored.object))
  return await respondWithText(request.raw, text, status, headers)
}

export async function respondWithObject(
  request: ResourceRequest,
  object: KubeObject,
  { status = 200, warnings = [] }: ResponseOptions = {},
): Promise<Response> {
  const text = JSON.stringify(shapedObject(request, object))
  return await respondWithText(request.raw, text, status, jsonHeaders(warnings))
}

/** For what has no table: Status, reviews. */
export async function respondWithJson(
  { raw }: Pick<ResourceRequest, 'raw'>,
  body: object,
  { status = 200, warnings = [] }: ResponseOptions = {},
): Promise<Response> {
  return await respondWithText(raw, JSON.stringify(body), status, jsonHeaders(warnings))
}

/** For what leaves nothing to show: a binding, an eviction. */
export async function respondWithSuccess(
  request: ResourceRequest,
  warnings: readonly string[],
): Promise<Response> {
  const done = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 }
  return await respondWithJson(request, done, { status: 201, warnings })
}

/** As the client asked for it: the object, a table of one row, or its metadata. */
export function shapedObject(
  { resource, nowMs, format }: Pick<ResourceRequest, 'resource' | 'nowMs' | 'format'>,
  object: KubeObject,
  columnDefinitions = true,
): object {
  const apiVersion = `meta.k8s.io/${format.version}` as const
  if (format.as === 'metadata') return toPartialMetadata(object, apiVersion)
  if (format.as === 'object') return object
  const { resourceVersion } = object.metadata
  return toTable({
    resource,
    objects: [object],
    nowMs,
    apiVersion,
    includeObject: format.includeObject,
    metadata: resourceVersion ? { resourceVersion } : {},
    columnDefinitions,
  })
}

/** One object on the wire, in the shape the client asked for. */
import type { KubeObject } from '../../../shared/kube/objects.ts'
import { toPartialMetadata } from '../../../shared/kube/partial-metadata.ts'
import { toTable } from '../../../shared/kube/table.ts'
import type { StoredLease } from '../../../shared/store/ports.ts'
import { leaseHeaders } from '../leases/lease-headers.ts'
import type { Stored } from '../memory/shelf.ts'
import type { ResourceRequest } from '../request/resource-request.ts'
import { answerText, jsonHeaders } from './json-answer.ts'

export interface AnswerOptions {
  readonly status?: number
  readonly warnings?: readonly string[]
}

/** Leases say more than their object: see lease-headers.ts. */
export async function answerStored(
  request: ResourceRequest,
  stored: Stored,
  { status = 200, warnings = [] }: AnswerOptions = {},
): Promise<Response> {
  const headers = jsonHeaders(warnings)
  const more = 'inbox' in stored ? leaseHeaders(request.api, stored as StoredLease) : {}
  for (const [name, value] of Object.entries(more)) headers.set(name, value)
  const text = JSON.stringify(shaped(request, stored.object))
  return await answerText(request.raw, text, status, headers)
}

export async function answerObject(
  request: ResourceRequest,
  object: KubeObject,
  { status = 200, warnings = [] }: AnswerOptions = {},
): Promise<Response> {
  const text = JSON.stringify(shaped(request, object))
  return await answerText(request.raw, text, status, jsonHeaders(warnings))
}

/** For what has no table: Status, reviews. */
export async function answerPlain(
  { raw }: Pick<ResourceRequest, 'raw'>,
  body: object,
  { status = 200, warnings = [] }: AnswerOptions = {},
): Promise<Response> {
  return await answerText(raw, JSON.stringify(body), status, jsonHeaders(warnings))
}

/** For what leaves nothing to show: a binding, an eviction. */
export async function answerDone(
  request: ResourceRequest,
  warnings: readonly string[],
): Promise<Response> {
  const done = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 }
  return await answerPlain(request, done, { status: 201, warnings })
}

function shaped(request: ResourceRequest, object: KubeObject): object {
  const { resource, nowMs, format } = request
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
  })
}

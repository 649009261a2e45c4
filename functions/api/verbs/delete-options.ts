/**
 * How is something to be deleted? The options come as JSON, YAML, protobuf, in the query, or not at
 * all.
 */
import { decodeBody } from '../../../shared/kube/decode.ts'
import { deleteOptionsSchema } from '../../../shared/kube/schemas/delete-options.ts'
import { badRequest, type FieldError } from '../../../shared/kube/status-error.ts'
import { readBody } from '../request/body.ts'
import type { Incoming } from '../request/incoming.ts'
import { dryRunErrors, flag, notSupported, refuse } from '../request/options.ts'
import type { ResourceRequest } from '../request/resource-request.ts'

export interface DeleteOptions {
  readonly gracePeriodSeconds?: number
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string }
  readonly orphanDependents?: boolean
  readonly propagationPolicy?: string
  readonly dryRun?: readonly string[]
}

const POLICIES = ['Background', 'Foreground', 'Orphan']

export async function readDeleteOptions(request: ResourceRequest): Promise<DeleteOptions> {
  const { api, raw, query } = request
  const bytes = await readBody(raw, api.settings.bodyLimitBytes)
  const body = bytes.length === 0 ? {} : await decodeOptions(raw, bytes)
  const options = { ...optionsOf(query), ...body }
  checkDeleteOptions(options)
  return options
}

async function decodeOptions(raw: Incoming, bytes: Uint8Array): Promise<DeleteOptions> {
  const { object } = await decodeBody({
    bytes,
    contentType: raw.headers.get('content-type') ?? undefined,
    schema: deleteOptionsSchema,
    // Clients name whatever group the resource is in; kubectl names none.
    expected: { apiVersion: 'v1', kind: 'DeleteOptions', alsoApiVersions: 'any' },
    fieldValidation: 'Ignore',
  })
  return object as DeleteOptions
}

function optionsOf(query: URLSearchParams): DeleteOptions {
  const grace = query.get('gracePeriodSeconds')
  const propagationPolicy = query.get('propagationPolicy')
  if (grace !== null && !/^-?\d{1,9}$/.test(grace)) {
    throw badRequest('gracePeriodSeconds in the query must be a whole number of seconds')
  }
  return {
    ...(grace !== null && { gracePeriodSeconds: Number(grace) }),
    ...(propagationPolicy && { propagationPolicy }),
    ...(query.has('orphanDependents') && { orphanDependents: flag(query, 'orphanDependents') }),
    ...(query.has('dryRun') && { dryRun: query.getAll('dryRun') }),
  }
}

export function checkDeleteOptions(options: DeleteOptions): void {
  const { propagationPolicy: policy, orphanDependents, dryRun = [] } = options
  const errors: FieldError[] = dryRunErrors(dryRun)
  if (policy !== undefined && !POLICIES.includes(policy)) {
    errors.push(notSupported('propagationPolicy', policy, POLICIES))
  }
  if (policy !== undefined && orphanDependents !== undefined) {
    const why = 'orphanDependents and deletionPropagation cannot be both set'
    const message = `Invalid value: "${policy}": ${why}`
    errors.push({ type: 'Invalid', field: 'propagationPolicy', message })
  }
  refuse('DeleteOptions', errors)
}

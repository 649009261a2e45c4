/** The options of a DELETE: as JSON, YAML or protobuf, in the query, or absent. */
import { decodeBody } from '../../../shared/kube/decode/body.ts'
import { unsupportedValue } from '../../../shared/kube/field-errors.ts'
import { deleteOptionsSchema } from '../../../shared/kube/meta/delete-options-schema.ts'
import { badRequest, type FieldError } from '../../../shared/kube/status-error.ts'
import type { ResourceRequest } from '../deps.ts'
import type { ApiRequest } from '../request/api-request.ts'
import { readBody } from '../request/body.ts'
import { dryRunErrors, queryFlag, refuseOptions } from '../request/options.ts'

export interface DeleteOptions {
  readonly gracePeriodSeconds?: number
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string }
  readonly orphanDependents?: boolean
  readonly propagationPolicy?: string
  readonly dryRun?: readonly string[]
}

const POLICIES = ['Background', 'Foreground', 'Orphan']

export async function readDeleteOptions(request: ResourceRequest): Promise<DeleteOptions> {
  const { raw, query } = request
  const bytes = await readBody(request)
  const body = bytes.length === 0 ? {} : await decodeOptions(raw, bytes)
  const options = { ...optionsOf(query), ...body }
  checkDeleteOptions(options)
  return options
}

async function decodeOptions(raw: ApiRequest, bytes: Uint8Array): Promise<DeleteOptions> {
  const { object } = await decodeBody({
    bytes,
    contentType: raw.headers.get('content-type') ?? undefined,
    schema: deleteOptionsSchema,
    // Clients name the group of the resource; kubectl names none.
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
    ...(query.has('orphanDependents') && {
      orphanDependents: queryFlag(query, 'orphanDependents'),
    }),
    ...(query.has('dryRun') && { dryRun: query.getAll('dryRun') }),
  }
}

export function checkDeleteOptions(options: DeleteOptions): void {
  const { propagationPolicy: policy, orphanDependents, dryRun = [] } = options
  const errors: FieldError[] = dryRunErrors(dryRun)
  if (policy !== undefined && !POLICIES.includes(policy)) {
    errors.push(unsupportedValue('propagationPolicy', policy, POLICIES))
  }
  if (policy !== undefined && orphanDependents !== undefined) {
    const why = 'orphanDependents and deletionPropagation cannot be both set'
    const message = `Invalid value: "${policy}": ${why}`
    errors.push({ type: 'Invalid', field: 'propagationPolicy', message })
  }
  refuseOptions('DeleteOptions', errors)
}

/** What part of a collection is asked for, and how fresh must it be? */
import { forbiddenField, unsupportedValue } from '../../../shared/kube/field-errors.ts'
import { badRequest, expired, StatusError } from '../../../shared/kube/status-error.ts'
import { MAX_VERSION_LEAD_MS } from '../../../shared/lifecycle/clock-bounds.ts'
import type { Key } from '../../../shared/store/ports.ts'
import type { ResourceRequest } from '../deps.ts'
import { decodeContinue } from './continue-token.ts'
import { refuseOptions } from './options.ts'

export interface ListOptions {
  /** Absent for the whole list at once. */
  readonly limit?: number
  readonly after?: Key
  /** The version the list shows: now, or that of the first page when this is a later one. */
  readonly version: number
}

// A page is never larger; the client gets a continue token for the rest.
const MAX_LIMIT = 5_000

export function listOptions(request: ResourceRequest): ListOptions {
  const { query, nowMs } = request
  checkFreshness(request)
  const token = query.get('continue')
  if (!token) return { ...limitOf(query), version: nowMs * 1000 }
  if (query.get('resourceVersion') && query.get('resourceVersion') !== '0') {
    throw badRequest('specifying resource version is not allowed when using continue')
  }
  const { after, version } = decodeContinue(token)
  return { ...limitOf(query), after, version }
}

function limitOf(query: URLSearchParams): { readonly limit?: number } {
  const text = query.get('limit') || '0'
  if (!/^\d{1,15}$/.test(text)) throw badRequest('limit must be a whole number')
  const limit = Number(text)
  return limit === 0 ? {} : { limit: Math.min(limit, MAX_LIMIT) }
}

/** Every list shows the newest state, which satisfies a request for any older version. */
function checkFreshness(request: ResourceRequest): void {
  const { query, nowMs } = request
  const version = query.get('resourceVersion') ?? ''
  const match = query.get('resourceVersionMatch') ?? ''
  if (version !== '' && !/^\d{1,20}$/.test(version)) {
    throw badRequest(`invalid resource version ${JSON.stringify(version)}`)
  }
  if (query.has('sendInitialEvents')) {
    refuse('sendInitialEvents', 'sendInitialEvents is forbidden for list')
  }
  checkMatch(request, match, version)
  if (Number(version) > (nowMs + MAX_VERSION_LEAD_MS) * 1000) throw tooLargeVersion(version)
  if (match === 'Exact') {
    throw expired(
      `The provided resource version is too old: only the newest state is kept (${version})`,
    )
  }
}

function checkMatch(request: ResourceRequest, match: string, version: string): void {
  const field = 'resourceVersionMatch'
  if (match === '') return
  if (request.query.get('continue'))
    refuse(field, `${field} is forbidden when continue is provided`)
  if (version === '') refuse(field, `${field} is forbidden unless resourceVersion is provided`)
  if (match !== 'Exact' && match !== 'NotOlderThan') {
    refuseOptions('ListOptions', [unsupportedValue(field, match, ['Exact', 'NotOlderThan'])])
  }
  if (match === 'Exact' && version === '0') {
    refuse(field, 'resourceVersionMatch "Exact" is forbidden for resourceVersion "0"')
  }
}

const refuse = (field: string, why: string) =>
  refuseOptions('ListOptions', [forbiddenField(field, why)])

function tooLargeVersion(version: string): StatusError {
  const message = `Too large resource version: ${version}`
  const causes = [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }]
  return new StatusError(504, 'Timeout', message, { causes, retryAfterSeconds: 1 })
}

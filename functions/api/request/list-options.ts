/** What part of a collection is asked for, and how fresh must it be? */
import { badRequest, expired, invalid, StatusError } from '../../../shared/kube/status-error.ts'
import type { Key } from '../../../shared/store/ports.ts'
import { decodeContinue } from './continue-token.ts'
import { notSupported } from './options.ts'
import type { ResourceRequest } from './resource-request.ts'

export interface ListOptions {
  /** Absent for everything at once. */
  readonly limit?: number
  readonly after?: Key
  /** The version the list shows: now, or that of the first page when this is a later one. */
  readonly version: number
}

// More than this in one answer helps nobody; the client gets a token for the rest.
const MAX_LIMIT = 5_000
// Clocks of two processes may differ by this much before a version counts as one from the future.
const CLOCK_ALLOWANCE_MICROS = 5_000_000

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

/** Every list here is of the newest state, which any older version is satisfied with. */
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
  if (Number(version) > nowMs * 1000 + CLOCK_ALLOWANCE_MICROS) throw fromTheFuture(version)
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
    const error = notSupported(field, match, ['Exact', 'NotOlderThan'])
    throw invalid(LIST_OPTIONS, '', [error])
  }
  if (match === 'Exact' && version === '0') {
    refuse(field, 'resourceVersionMatch "Exact" is forbidden for resourceVersion "0"')
  }
}

const LIST_OPTIONS = { group: 'meta.k8s.io', plural: '', kind: 'ListOptions' }

function refuse(field: string, why: string): never {
  throw invalid(LIST_OPTIONS, '', [{ type: 'Forbidden', field, message: `Forbidden: ${why}` }])
}

function fromTheFuture(version: string): StatusError {
  const message = `Too large resource version: ${version}`
  const causes = [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }]
  return new StatusError(504, 'Timeout', message, { causes, retryAfterSeconds: 1 })
}

/**
 * Bootstrap tokens over HTTP, for operators without access to the tables: GET and POST
 * /apis/leasehold.dev/v1/bootstraptokens, DELETE …/{id}. The secret is shown once, on create.
 */
import type { BootstrapToken } from '../../../shared/auth/join/bootstrap-token.ts'
import { isExtraGroup, parseBootstrapToken } from '../../../shared/auth/join/bootstrap-token.ts'
import {
  createBootstrapToken,
  listBootstrapTokens,
  revokeBootstrapToken,
} from '../../../shared/auth/join/bootstrap-tokens.ts'
import {
  type FieldError,
  invalid,
  methodNotAllowed,
  notFound,
} from '../../../shared/kube/status-error.ts'
import { formatTime } from '../../../shared/kube/time.ts'
import type { Store } from '../../../shared/store/ports.ts'
import { identifyCaller, noteCreated } from '../request/access.ts'
import {
  type AccessDeps,
  authoriseTokenRequest,
  type Loose,
  readJson,
  record,
  respondWithSecret,
} from './token-access.ts'

const PATH = '/apis/leasehold.dev/v1/bootstraptokens'
const DEFAULT_TTL_SECONDS = 86_400
const LONGEST_TTL_SECONDS = 366 * 86_400
const MOST_USES = 1_000_000
const LONGEST_DESCRIPTION = 256
const named = { group: 'leasehold.dev', plural: 'bootstraptokens', kind: 'BootstrapToken' }

interface BootstrapRouteDeps extends AccessDeps {
  readonly store: Store
  readonly clock: () => number
  readonly randomInt: (below: number) => number
}

/** Mounted beside the resources, as open routes: they do their own checks. */
export function bootstrapTokenRoutes(deps: BootstrapRouteDeps) {
  const handle = (request: Request) => respond(deps, request)
  return [PATH, `${PATH}/:id`].map((path) => ({ path, access: 'open' as const, handle }))
}

async function respond(deps: BootstrapRouteDeps, request: Request): Promise<Response> {
  const nowMs = deps.clock()
  const identity = await identifyCaller(deps, request, nowMs)
  const name = new URL(request.url).pathname.slice(PATH.length + 1)
  const may = (verb: string) =>
    authoriseTokenRequest(deps, identity, { verb, resource: named.plural, subresource: '', name })

  if (request.method === 'GET' && name === '') {
    may('list')
    return Response.json(await list(deps.store))
  }
  if (request.method === 'POST' && name === '') {
    may('create')
    const created = await create(deps, await readJson(request), nowMs)
    noteCreated(request, created.metadata.name ?? '')
    return respondWithSecret(created)
  }
  if (request.method === 'DELETE' && name !== '') {
    may('delete')
    return Response.json(await remove(deps.store, name))
  }
  throw methodNotAllowed()
}

async function list({ records }: Store) {
  const tokens = await listBootstrapTokens(records)
  const items = tokens.map(({ value }) => shown(value))
  return { ...typed('BootstrapTokenList'), metadata: {}, items }
}

const typed = (kind: string) => ({ kind, apiVersion: 'leasehold.dev/v1' })

/** Everything but the hash. */
function shown({ id, createdAtMs, description, groups, expiresAtMs, usesLeft }: BootstrapToken) {
  return {
    ...typed('BootstrapToken'),
    metadata: { name: id, creationTimestamp: formatTime(createdAtMs) },
    spec: {
      description,
      groups,
      expirationTimestamp: expiresAtMs === undefined ? undefined : formatTime(expiresAtMs),
      usesLeft,
    },
  }
}

async function create(deps: BootstrapRouteDeps, { spec }: Loose, nowMs: number) {
  const request = readSpec(record(spec))
  const { randomInt } = deps
  const token = await createBootstrapToken(deps.store, request, { nowMs, randomInt })
  const metadata = { name: parseBootstrapToken(token)?.id, creationTimestamp: formatTime(nowMs) }
  return { ...typed('BootstrapToken'), metadata, status: { token } }
}

function readSpec({ description, groups = [], ttlSeconds = DEFAULT_TTL_SECONDS, uses }: Loose) {
  const errors: FieldError[] = []
  const check = (good: boolean, field: string, message: string) =>
    good ||
    errors.push({ type: 'Invalid', field: `spec.${field}`, message: `Invalid value: ${message}` })
  const within = (value: unknown, most: number) =>
    Number.isInteger(value) && Number(value) >= 1 && Number(value) <= most

  check(within(ttlSeconds, LONGEST_TTL_SECONDS), 'ttlSeconds', `from 1 to ${LONGEST_TTL_SECONDS}`)
  check(uses === undefined || within(uses, MOST_USES), 'uses', `from 1 to ${MOST_USES}`)
  const list = Array.isArray(groups) && groups.every((one) => isText(one) && isExtraGroup(one))
  check(list, 'groups', 'each must begin with system:bootstrappers:')
  const short = (text: unknown) => isText(text) && text.length <= LONGEST_DESCRIPTION
  check(
    description === undefined || short(description),
    'description',
    `text of at most ${LONGEST_DESCRIPTION} characters`,
  )
  if (errors.length > 0) throw invalid(named, '', errors)
  return {
    description: description as string | undefined,
    groups: groups as readonly string[],
    lifetimeMs: Number(ttlSeconds) * 1000,
    uses: uses === undefined ? undefined : Number(uses),
  }
}

const isText = (value: unknown): value is string => typeof value === 'string'

async function remove(store: Store, id: string) {
  if ((await revokeBootstrapToken(store, id)) === 'absent') throw notFound(named, id)
  const details = { name: id, group: named.group, kind: named.plural }
  return { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', details }
}

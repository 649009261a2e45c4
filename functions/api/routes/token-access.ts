/** What the token routes have in common: who is calling, may they, and what did they send? */
import type { Attributes, Identity } from '../../../shared/auth/identity.ts'
import { badRequest, forbidden } from '../../../shared/kube/status-error.ts'
import type { ApiDeps } from '../deps.ts'
import { denial } from '../request/access.ts'
import { readBody } from '../request/body.ts'

export type AccessDeps = Pick<ApiDeps, 'authenticator' | 'authorizer' | 'limiter'>

type Wanted = Pick<Attributes, 'verb' | 'resource' | 'subresource' | 'name'>

const GROUP = 'leasehold.dev'
const BODY_LIMIT_BYTES = 16_384

export function authoriseTokenRequest(
  { authorizer }: AccessDeps,
  identity: Identity,
  wanted: Wanted,
): void {
  const attributes = { ...wanted, group: GROUP, namespace: '', path: '' }
  if (authorizer.authorize(identity, attributes).kind === 'allowed') return
  const { resource, name } = wanted
  const names = { group: GROUP, plural: resource, kind: resource }
  throw forbidden(names, name, denial(identity, attributes, ''))
}

export type Loose = Readonly<Record<string, unknown>>

export const record = (value: unknown): Loose =>
  typeof value === 'object' && value !== null ? (value as Loose) : {}

/** No more is read than such a body may have. An empty body means every default. */
export async function readJson(raw: Request): Promise<Loose> {
  const settings = { bodyLimitBytes: BODY_LIMIT_BYTES }
  const text = new TextDecoder().decode(await readBody({ api: { settings }, raw }))
  if (text.trim() === '') return {}
  try {
    return record(JSON.parse(text))
  } catch (error) {
    if (error instanceof SyntaxError) throw badRequest('the body is not JSON')
    throw error
  }
}

/** The body holds a secret: no cache on the way may keep it. */
export const respondWithSecret = (body: object) =>
  Response.json(body, { status: 201, headers: { 'cache-control': 'no-store' } })

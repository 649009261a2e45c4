/**
 * What the routes about tokens have in common: who is calling, may they, and what did they send?
 */
import type { Attributes, Authenticator, Authorizer, Identity } from '../../shared/auth/identity.ts'
import type { RateLimiter } from '../../shared/auth/rate-limit.ts'
import {
  badRequest,
  forbidden,
  tooLarge,
  tooManyRequests,
  unauthorized,
} from '../../shared/kube/status-error.ts'

export interface AccessDeps {
  readonly authenticator: Authenticator
  readonly authorizer: Authorizer
  readonly limiter?: RateLimiter
}

type Wanted = Pick<Attributes, 'verb' | 'resource' | 'subresource' | 'name'>

const GROUP = 'leasehold.dev'
const BODY_LIMIT_BYTES = 16_384

export async function identify(
  { authenticator, limiter }: AccessDeps,
  request: Request,
  nowMs: number,
): Promise<Identity> {
  const header = request.headers.get('authorization') ?? undefined
  const caller = await authenticator.authenticate(header, nowMs)
  if (caller.kind !== 'known') throw unauthorized()
  const waitSeconds = limiter?.(caller.identity, nowMs)
  if (waitSeconds === undefined) return caller.identity
  throw tooManyRequests('this identity sends too many requests; slow down', waitSeconds)
}

export function authorise({ authorizer }: AccessDeps, identity: Identity, wanted: Wanted): void {
  const attributes = { ...wanted, group: GROUP, namespace: '', path: '' }
  if (authorizer.authorize(identity, attributes).kind === 'allowed') return
  const { verb, resource, subresource, name } = wanted
  const what = subresource ? `${resource}/${subresource}` : resource
  throw forbidden(
    { group: GROUP, plural: resource, kind: resource },
    name,
    `User "${identity.user}" cannot ${verb} resource "${what}" ` +
      `in API group "${GROUP}" at the cluster scope`,
  )
}

export type Loose = Readonly<Record<string, unknown>>

export const record = (value: unknown): Loose =>
  typeof value === 'object' && value !== null ? (value as Loose) : {}

/** Small things only, so the body is read whole. Nothing sent means nothing asked for. */
export async function readJson(request: Request): Promise<Loose> {
  const text = await request.text()
  if (text.length > BODY_LIMIT_BYTES) throw tooLarge('what is sent here is small; this body is not')
  if (text.trim() === '') return {}
  try {
    return record(JSON.parse(text))
  } catch (error) {
    if (error instanceof SyntaxError) throw badRequest('the body is not JSON')
    throw error
  }
}

/** A secret is in it: nobody on the way may keep it. */
export const secretAnswer = (body: object) =>
  Response.json(body, { status: 201, headers: { 'cache-control': 'no-store' } })

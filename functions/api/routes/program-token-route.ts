/**
 * Where a program gets the successor of its token: POST /apis/leasehold.dev/v1/programs/{name}/token,
 * with its present one. What it may do was granted by an administrator and does not change.
 */
import { renewProgramToken } from '../../../shared/auth/programs/grants.ts'
import { badRequest, methodNotAllowed } from '../../../shared/kube/status-error.ts'
import { formatTime } from '../../../shared/kube/time.ts'
import type { Store } from '../../../shared/store/ports.ts'
import { identifyCaller } from '../request/access.ts'
import { type AccessDeps, authoriseTokenRequest, respondWithSecret } from './token-access.ts'

interface ProgramRouteDeps extends AccessDeps {
  readonly store: Store
  readonly clock: () => number
  readonly randomInt: (below: number) => number
}

/** Mounted beside the resources, as an open route: it does its own checks. */
export function programTokenRoute(deps: ProgramRouteDeps) {
  return {
    path: '/apis/leasehold.dev/v1/programs/:name/token',
    access: 'open' as const,
    handle: (request: Request) => respond(deps, request),
  }
}

async function respond(deps: ProgramRouteDeps, request: Request): Promise<Response> {
  if (request.method !== 'POST') throw methodNotAllowed()
  const nowMs = deps.clock()
  const identity = await identifyCaller(deps, request, nowMs)
  const [, name] = /\/programs\/([a-z0-9-]+)\/token$/.exec(new URL(request.url).pathname) ?? []
  if (name === undefined) throw badRequest('the name of the program in the path is not legal')
  const wanted = { verb: 'create', resource: 'programs', subresource: 'token', name }
  authoriseTokenRequest(deps, identity, wanted)

  const { store, randomInt } = deps
  const issued = await renewProgramToken(store, identity, name, { nowMs, randomInt })
  const { token, issuedAtMs, expiresAtMs } = issued
  return respondWithSecret({
    kind: 'TokenRequest',
    apiVersion: 'authentication.k8s.io/v1',
    metadata: { name, creationTimestamp: formatTime(issuedAtMs) },
    spec: { expirationSeconds: Math.floor((expiresAtMs - issuedAtMs) / 1_000) },
    status: { token, expirationTimestamp: formatTime(expiresAtMs) },
  })
}

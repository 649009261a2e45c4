/**
 * Where a host gets its tokens: POST /apis/leasehold.dev/v1/nodes/{name}/token, with a TokenRequest
 * of authentication.k8s.io/v1 as Kubernetes uses it for service accounts. Sent with a bootstrap
 * token it returns a joining token, with a joining token a node token, with a node token its
 * successor.
 */

import { lifetimeSeconds } from '../../../shared/auth/tokens/claims.ts'
import { issueToken } from '../../../shared/auth/tokens/issuer.ts'
import type { IssuedToken, IssuerDeps } from '../../../shared/auth/tokens/node-token.ts'
import { subdomainName } from '../../../shared/kube/meta/names.ts'
import {
  badRequest,
  type FieldError,
  invalid,
  methodNotAllowed,
} from '../../../shared/kube/status-error.ts'
import { formatTime } from '../../../shared/kube/time.ts'
import { identifyCaller } from '../request/access.ts'
import {
  type AccessDeps,
  authoriseTokenRequest,
  type Loose,
  readJson,
  record,
  respondWithSecret,
} from './token-access.ts'

const TOKEN_PATH = '/apis/leasehold.dev/v1/nodes/:name/token'
/** In the request's metadata.annotations: a secret of the machine that it can repeat later. */
const MACHINE_PROOF = 'leasehold.dev/machine-proof'

/** Kubernetes' own lower bound for a TokenRequest. */
const SHORTEST_SECONDS = 600
/** 32 random bytes. A proof of another form may be made of what a host reports, and is refused. */
const PROOF = /^lhp1\.[A-Za-z0-9_-]{43}$/

interface TokenRouteDeps extends AccessDeps {
  readonly issuer: IssuerDeps
  readonly clock: () => number
}

/** Mounted beside the resources, as an open route: it does its own checks. */
export function tokenRoute(deps: TokenRouteDeps) {
  return {
    path: TOKEN_PATH,
    access: 'open' as const,
    handle: (request: Request) => respondWithToken(deps, request),
  }
}

async function respondWithToken(deps: TokenRouteDeps, request: Request): Promise<Response> {
  if (request.method !== 'POST') throw methodNotAllowed()
  const nowMs = deps.clock()
  const nodeName = nameIn(request)
  const identity = await identifyCaller(deps, request, nowMs)
  const wanted = { verb: 'create', resource: 'nodes', subresource: 'token', name: nodeName }
  authoriseTokenRequest(deps, identity, wanted)

  const asked = readTokenRequest(await readJson(request), deps.issuer.audience)
  const given = await issueToken(deps.issuer, { identity, nodeName, nowMs, ...asked })
  return respondWithSecret(tokenRequestBody(given, nodeName, deps.issuer.audience))
}

/** Every illegal name gets the same response, whatever it is made of. */
function nameIn(request: Request): string {
  const [, raw = ''] = /\/nodes\/([^/]+)\/token$/.exec(new URL(request.url).pathname) ?? []
  // A legal name needs no escapes, so none are undone.
  if (subdomainName(raw).length > 0) throw badRequest('the node name in the path is not legal')
  return raw
}

function readTokenRequest({ spec, metadata }: Loose, audience: string) {
  const { expirationSeconds: seconds = lifetimeSeconds.node, audiences = [] } = record(spec)
  const proof = record(record(metadata).annotations)[MACHINE_PROOF]
  const errors: FieldError[] = []
  const complain = (field: string, message: string) =>
    errors.push({ type: 'Invalid', field, message: `Invalid value: ${message}` })

  if (!Number.isInteger(seconds) || Number(seconds) < SHORTEST_SECONDS) {
    complain('spec.expirationSeconds', 'may not specify a duration less than 10 minutes')
  }
  if (!Array.isArray(audiences) || audiences.some((one) => one !== audience)) {
    complain('spec.audiences', `tokens are made for ${JSON.stringify(audience)} only`)
  }
  if (proof !== undefined && !isProof(proof)) {
    const form = 'must be lhp1. and 32 random bytes in base64url, made and kept by the machine; '
    const old = 'proofs made of the machine id are public and no longer taken: update the agent'
    complain(`metadata.annotations[${MACHINE_PROOF}]`, form + old)
  }
  const kind = { group: 'authentication.k8s.io', plural: 'tokenrequests', kind: 'TokenRequest' }
  if (errors.length > 0) throw invalid(kind, '', errors)
  return { lifetimeSeconds: Number(seconds), ...(isProof(proof) && { proof }) }
}

const isProof = (value: unknown): value is string => typeof value === 'string' && PROOF.test(value)

function tokenRequestBody(given: IssuedToken, name: string, audience: string) {
  const { token, nodeUid: uid, issuedAtSeconds, expiresAtMs } = given
  return {
    kind: 'TokenRequest',
    apiVersion: 'authentication.k8s.io/v1',
    metadata: { name, creationTimestamp: formatTime(issuedAtSeconds * 1000) },
    spec: {
      audiences: [audience],
      expirationSeconds: expiresAtMs / 1000 - issuedAtSeconds,
      // Absent in a joining token: there is no Node yet to be bound to.
      ...(uid && { boundObjectRef: { kind: 'Node', apiVersion: 'v1', name, uid } }),
    },
    status: { token, expirationTimestamp: formatTime(expiresAtMs) },
  }
}

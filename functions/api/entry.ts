/**
 * The api's entry point. A lease write (PUT or PATCH of one Lease) is served by code that is loaded
 * at start-up; any other request first loads the rest of the api. Almost all traffic is lease
 * renewals, so a cold start pays only for those.
 */
import { randomUUID } from 'node:crypto'
import { createAuthorizer } from '../../shared/auth/access/authorizer.ts'
import { createAuthenticator } from '../../shared/auth/authenticator.ts'
import { createRateLimiter, type RequestRates } from '../../shared/auth/rate-limit.ts'
import { defaultIssuerAudience } from '../../shared/auth/tokens/claims.ts'
import { keySet, type PublicJwks } from '../../shared/auth/tokens/key-set.ts'
import { defaultSettings } from '../../shared/lifecycle/settings.ts'
import { lazily } from '../../shared/store/lazily.ts'
import type { Store } from '../../shared/store/ports.ts'
import { createAudit } from './audit.ts'
import { type ApiDeps, completeDeps, type LogEntry } from './deps.ts'
import { writeLease } from './leases/renewal.ts'
import { isServedQuietly } from './request/access.ts'
import type { ApiRequest } from './request/api-request.ts'
import { respondWithFailure } from './response/failure.ts'
import { type ApiResponse, responseOf } from './response/json-response.ts'
import { serveResource } from './serve.ts'

export interface FetchHandler {
  fetch(request: Request): Response | Promise<Response>
}

export interface Entry extends FetchHandler {
  fetch(request: Request): Promise<Response>
  /** Undefined for every request that is not a lease write. */
  serveLeaseWrite(request: ApiRequest): Promise<ApiResponse> | undefined
  /** Writes that a response left behind. Lambda stops the process between two requests. */
  pendingWrites?(): Promise<void>
}

export function createEntry(deps: ApiDeps, loadFullApi: () => Promise<FetchHandler>): Entry {
  const api = completeDeps(deps)
  const fullApi = lazily(loadFullApi)
  const audit = createAudit(api)

  const writeLeaseOrFail = async (request: ApiRequest): Promise<ApiResponse> => {
    try {
      return await serveResource(api, request, writeLease)
    } catch (error) {
      return respondWithFailure(api, request, error)
    }
  }
  const audited = async <R extends ApiResponse>(request: ApiRequest, answer: Promise<R>) => {
    const response = await answer
    if (!isServedQuietly(request, response.status)) await audit(request, response.status)
    return response
  }
  const serveLeaseWrite = (request: ApiRequest) =>
    isLeaseWrite(request) ? audited(request, writeLeaseOrFail(request)) : undefined

  const serveAny = async (request: Request): Promise<Response> => {
    try {
      return await (await fullApi()).fetch(request)
    } catch (error) {
      return respondWithFailure(api, request, error)
    }
  }

  return {
    serveLeaseWrite,
    async fetch(request) {
      const response = serveLeaseWrite(request)
      return response ? responseOf(await response) : await audited(request, serveAny(request))
    },
  }
}

/** Names that need no decoding, so that no other path can be mistaken for a lease's. */
const NAME = '[a-z0-9][a-z0-9.-]*'
const LEASE = `/apis/coordination[.]k8s[.]io/v1/namespaces/${NAME}/leases/${NAME}`
const LEASE_URL = new RegExp(`^https?://[^/]+${LEASE}([?][^#]*)?$`)

const isLeaseWrite = ({ method, url }: ApiRequest): boolean =>
  (method === 'PUT' || method === 'PATCH') && LEASE_URL.test(url)

interface SecuredDeps extends Partial<ApiDeps> {
  readonly store: Store
  readonly log: (entry: LogEntry) => void
  /** Tokens signed by one of these keys are trusted. */
  readonly publicKeys: () => Promise<PublicJwks>
  /** Default: those of the settings. */
  readonly rates?: RequestRates
}

/** The entry with tokens, RBAC rules, admission and rate limits in place. */
export function createSecuredEntry(
  { publicKeys, rates = defaultSettings, ...given }: SecuredDeps,
  loadFullApi: (deps: ApiDeps) => Promise<FetchHandler>,
): Entry {
  const { store, log } = given
  const onTrouble = (what: string, error: unknown) =>
    log({ level: 'warn', message: `cannot read ${what}, using the last known`, error })
  const keys = keySet(publicKeys, onTrouble)
  const authenticator = createAuthenticator({
    ...defaultIssuerAudience,
    keys,
    records: store.records,
    onTrouble,
  })
  const admission = lazily(async () => {
    const { createAdmission } = await import('../../shared/auth/access/admission.ts')
    const nodeOf = (name: string) => store.objects.get('nodes', { namespace: '', name }, 'lean')
    return createAdmission(async (name) => (await nodeOf(name))?.object)
  })
  const deps: ApiDeps = {
    authenticator,
    believesKey: (kid) => keys.has(kid),
    authorizer: createAuthorizer(),
    limiter: createRateLimiter(rates),
    clock: Date.now,
    random: Math.random,
    uuid: randomUUID,
    admission: async (request) => await (await admission())(request),
    ...given,
  }
  return createEntry(deps, () => loadFullApi(deps))
}

/** The app with its guards in place: tokens, rules, admission and rate limits. */
import { randomUUID } from 'node:crypto'
import { createAuthenticator } from '../../shared/auth/authenticator.ts'
import { createAuthorizer } from '../../shared/auth/authorizer.ts'
import { defaultIssued } from '../../shared/auth/claims.ts'
import { keySet, type PublicJwks } from '../../shared/auth/key-set.ts'
import { createRateLimiter } from '../../shared/auth/rate-limit.ts'
import type { Signer } from '../../shared/auth/signer.ts'
import { lazily } from '../../shared/store/lazily.ts'
import type { Store } from '../../shared/store/ports.ts'
import type { ApiDeps, LogEntry } from './deps.ts'
import { createFront, type Front } from './front.ts'

export interface Secured {
  readonly store: Store
  /** Whose signatures are believed. */
  readonly publicKeys: () => Promise<PublicJwks>
  /** Signs node tokens and nothing else. */
  readonly nodeSigner: () => Promise<Signer>
  readonly log: (entry: LogEntry) => void
  readonly more?: Partial<ApiDeps>
  /** What no beat needs, watches and further routes: loaded together with the whole api. */
  readonly loadMore?: () => Promise<Partial<ApiDeps>>
}

export function securedApi(secured: Secured): Front {
  const { store, publicKeys, nodeSigner, log, more, loadMore } = secured
  const onTrouble = (what: string, error: unknown) =>
    log({ level: 'warn', message: `cannot read ${what}, using the last known`, error })
  const authenticator = createAuthenticator({
    ...defaultIssued,
    keys: keySet(publicKeys, onTrouble),
    records: store.records,
    onTrouble,
  })
  const admission = lazily(async () => {
    const { createAdmission } = await import('../../shared/auth/admission.ts')
    const nodeOf = (name: string) => store.objects.get('nodes', { namespace: '', name }, 'lean')
    return createAdmission(async (name) => (await nodeOf(name))?.object)
  })
  const deps: ApiDeps = {
    authenticator,
    authorizer: createAuthorizer(),
    limiter: createRateLimiter(),
    store,
    clock: Date.now,
    random: Math.random,
    uuid: randomUUID,
    admission: async (request) => await (await admission())(request),
    log,
    ...more,
  }
  return createFront(deps, async () => {
    const [{ wholeApi }, further] = await Promise.all([import('./whole-api.ts'), loadMore?.()])
    return wholeApi({ ...deps, ...further }, nodeSigner)
  })
}

/** The app with its guards in place: tokens, rules, admission, rate limits and the token path. */
import { randomInt, randomUUID } from 'node:crypto'
import type { Hono } from 'hono'
import { createAdmission } from '../../shared/auth/admission.ts'
import { createAuthenticator } from '../../shared/auth/authenticator.ts'
import { createAuthorizer } from '../../shared/auth/authorizer.ts'
import { defaultIssued } from '../../shared/auth/claims.ts'
import { keySet, type PublicJwks } from '../../shared/auth/key-set.ts'
import { createRateLimiter } from '../../shared/auth/rate-limit.ts'
import type { Signer } from '../../shared/auth/signer.ts'
import type { Store } from '../../shared/store/ports.ts'
import { createApi } from './app.ts'
import { bootstrapTokenRoutes } from './bootstrap-token-routes.ts'
import type { ApiDeps, LogEntry } from './deps.ts'
import { tokenRoute } from './token-routes.ts'

export interface Secured {
  readonly store: Store
  /** Whose signatures are believed. */
  readonly publicKeys: () => Promise<PublicJwks>
  /** Signs node tokens and nothing else. */
  readonly nodeSigner: () => Promise<Signer>
  readonly log: (entry: LogEntry) => void
  readonly more?: Partial<ApiDeps>
}

export function securedApi({ store, publicKeys, nodeSigner, log, more }: Secured): Hono {
  const onTrouble = (what: string, error: unknown) =>
    log({ level: 'warn', message: `cannot read ${what}, using the last known`, error })
  const authenticator = createAuthenticator({
    ...defaultIssued,
    keys: keySet(publicKeys, onTrouble),
    records: store.records,
    onTrouble,
  })
  const guards = { authenticator, authorizer: createAuthorizer(), limiter: createRateLimiter() }
  const issuer = { ...defaultIssued, store, signer: nodeSigner, newId: randomUUID }
  return createApi({
    ...guards,
    store,
    clock: Date.now,
    random: Math.random,
    uuid: randomUUID,
    admission: createAdmission(
      async (name) => (await store.objects.get('nodes', { namespace: '', name }))?.object,
    ),
    log,
    ...more,
    routes: [
      tokenRoute({ ...guards, issuer, clock: Date.now }),
      ...bootstrapTokenRoutes({ ...guards, store, clock: Date.now, randomInt }),
      ...(more?.routes ?? []),
    ],
  })
}

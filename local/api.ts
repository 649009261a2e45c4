/** The api of local mode: the same app as in Lambda, with keys from files. */
import { randomUUID } from 'node:crypto'
import type { Hono } from 'hono'
import { createApi } from '../functions/api/app.ts'
import type { ApiDeps, LogEntry } from '../functions/api/deps.ts'
import { tokenRoute } from '../functions/api/token-routes.ts'
import { createAdmission } from '../shared/auth/admission.ts'
import { createAuthenticator } from '../shared/auth/authenticator.ts'
import { createAuthorizer } from '../shared/auth/authorizer.ts'
import { defaultIssued } from '../shared/auth/claims.ts'
import { keySet } from '../shared/auth/key-set.ts'
import { createRateLimiter } from '../shared/auth/rate-limit.ts'
import type { Store } from '../shared/store/ports.ts'
import type { DataFolder } from './data-folder.ts'
import { fileSigner, readPublicKeys } from './keys.ts'

export interface LocalApi {
  readonly store: Store
  readonly data: DataFolder
  readonly log: (entry: LogEntry) => void
  readonly more?: Partial<ApiDeps>
}

export function localApi({ store, data, log, more }: LocalApi): Hono {
  const onTrouble = (what: string, error: unknown) =>
    log({ level: 'warn', message: `cannot read ${what}, using the last known`, error })
  const keys = keySet(() => readPublicKeys(data), onTrouble)
  const authenticator = createAuthenticator({
    ...defaultIssued,
    keys,
    records: store.records,
    onTrouble,
  })
  const authorizer = createAuthorizer()
  const limiter = createRateLimiter()
  const issuer = {
    ...defaultIssued,
    store,
    signer: () => fileSigner(data, 'node'),
    newId: randomUUID,
  }
  const tokens = tokenRoute({ authenticator, authorizer, limiter, issuer, clock: Date.now })
  return createApi({
    store,
    clock: Date.now,
    random: Math.random,
    uuid: randomUUID,
    authenticator,
    authorizer,
    limiter,
    admission: createAdmission(
      async (name) => (await store.objects.get('nodes', { namespace: '', name }))?.object,
    ),
    log,
    ...more,
    routes: [tokens, ...(more?.routes ?? [])],
  })
}

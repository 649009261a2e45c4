/** Everything that is served, the paths of the tokens among it. */
import { randomInt, randomUUID } from 'node:crypto'
import type { Hono } from 'hono'
import { defaultIssued } from '../../shared/auth/claims.ts'
import type { Signer } from '../../shared/auth/signer.ts'
import { createApi } from './app.ts'
import { bootstrapTokenRoutes } from './bootstrap-token-routes.ts'
import type { ApiDeps } from './deps.ts'
import { tokenRoute } from './token-routes.ts'

export function wholeApi(deps: ApiDeps, nodeSigner: () => Promise<Signer>): Hono {
  const { store } = deps
  const issuer = { ...defaultIssued, store, signer: nodeSigner, newId: randomUUID }
  return createApi({
    ...deps,
    routes: [
      tokenRoute({ ...deps, issuer }),
      ...bootstrapTokenRoutes({ ...deps, randomInt }),
      ...(deps.routes ?? []),
    ],
  })
}

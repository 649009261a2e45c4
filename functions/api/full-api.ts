/** The full api: every resource and route, as one Hono app. Loaded after start-up, by entry.ts. */
import { randomInt, randomUUID } from 'node:crypto'
import { Hono } from 'hono'
import { defaultIssuerAudience } from '../../shared/auth/tokens/claims.ts'
import { type ApiContext, type ApiDeps, completeDeps, type ExtraRoute } from './deps.ts'
import { pageNotFound, respondWithFailure } from './response/failure.ts'
import { responseOf } from './response/json-response.ts'
import { bootstrapTokenRoutes } from './routes/bootstrap-token-routes.ts'
import { mountDiscovery } from './routes/discovery.ts'
import { guarded } from './routes/guarded.ts'
import { mountHealth } from './routes/health.ts'
import { mountOpenapi } from './routes/openapi.ts'
import { programTokenRoute } from './routes/program-token-route.ts'
import { mountReviews } from './routes/reviews.ts'
import { tokenRoute } from './routes/token-routes.ts'
import { serveResource } from './serve.ts'
import { handle } from './verbs/handlers.ts'

export function createFullApi(deps: ApiDeps): Hono {
  const api = completeDeps(deps)
  const app = new Hono({ strict: false })
  const serve = async (context: { readonly req: { readonly raw: Request } }) =>
    responseOf(await serveResource(api, context.req.raw, handle))

  mountHealth(app, api)
  mountDiscovery(app, api)
  mountOpenapi(app, api)
  mountReviews(app, api)
  for (const route of [...tokenRoutes(api), ...(api.routes ?? [])]) mountExtra(app, api, route)
  app.all('/api/*', serve)
  app.all('/apis/*', serve)
  app.notFound((context) => guarded(api, context.req.raw, pageNotFound))
  app.onError((error, context) => respondWithFailure(api, context.req.raw, error))
  return app
}

function tokenRoutes({ nodeSigner: signer, ...api }: ApiContext): readonly ExtraRoute[] {
  const programs = programTokenRoute({ ...api, randomInt })
  if (!signer) return [programs]
  const { store, believesKey } = api
  const issuer = { ...defaultIssuerAudience, store, signer, believesKey, newId: randomUUID }
  const bootstrap = bootstrapTokenRoutes({ ...api, randomInt })
  return [programs, tokenRoute({ ...api, issuer }), ...bootstrap]
}

function mountExtra(app: Hono, api: ApiContext, { path, access, handle }: ExtraRoute): void {
  app.all(path, ({ req }) =>
    access === 'open' ? handle(req.raw, undefined) : guarded(api, req.raw, handle),
  )
}

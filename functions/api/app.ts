/** The HTTP face: the same app behind a Lambda, in local mode and in tests. */
import { Hono } from 'hono'
import { answerFailure, pageNotFound } from './answer/failure.ts'
import { responseOf } from './answer/plain-answer.ts'
import { type ApiDeps, completeDeps } from './deps.ts'
import { mountDiscovery } from './routes/discovery.ts'
import { mountExtra } from './routes/extra.ts'
import { guarded } from './routes/guarded.ts'
import { mountHealth } from './routes/health.ts'
import { mountOpenapi } from './routes/openapi.ts'
import { mountReviews } from './routes/reviews.ts'
import { serveResource } from './serve.ts'

export function createApi(deps: ApiDeps): Hono {
  const api = completeDeps(deps)
  const app = new Hono({ strict: false })
  const serve = async (context: { readonly req: { readonly raw: Request } }) =>
    responseOf(await serveResource(api, context.req.raw))

  mountHealth(app, api)
  mountDiscovery(app, api)
  mountOpenapi(app, api)
  mountReviews(app, api)
  mountExtra(app, api)
  app.all('/api/*', serve)
  app.all('/apis/*', serve)
  app.notFound((context) => guarded(api, context.req.raw, pageNotFound))
  app.onError((error, context) => answerFailure(api, context.req.raw, error))
  return app
}

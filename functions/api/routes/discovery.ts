/**
 * What is served here? The documents of `shared/kube/discovery.ts`, in the form the client
 * understands.
 */
import type { Hono } from 'hono'
import {
  type AggregatedVersion,
  aggregatedContentType,
  aggregatedDiscovery,
  apiGroup,
  apiGroupList,
  apiResourceList,
  apiVersions,
} from '../../../shared/kube/discovery.ts'
import { noSuchResource } from '../../../shared/kube/status-error.ts'
import { version } from '../../../shared/kube/version.ts'
import type { ApiContext } from '../deps.ts'
import { pageNotFound } from '../response/failure.ts'
import { JSON_TYPE, respondWithText } from '../response/json-response.ts'
import { guarded } from './guarded.ts'

export function mountDiscovery(app: Hono, api: ApiContext): void {
  app.get('/version', ({ req }) => respond(req.raw, version))
  const legacy = (request: Request) => apiVersions(new URL(request.url).host)
  root(app, api, '/api', legacy)
  root(app, api, '/apis', apiGroupList)
  app.get('/api/v1', ({ req }) => guarded(api, req.raw, (raw) => respond(raw, apiResourceList(''))))
  app.get('/apis/:group', ({ req }) =>
    guarded(api, req.raw, (raw) => respond(raw, apiGroup(req.param('group')))),
  )
  app.get('/apis/:group/:version', ({ req }) =>
    guarded(api, req.raw, (raw) => resourceList(raw, req.param('group'), req.param('version'))),
  )
}

function root(
  app: Hono,
  api: ApiContext,
  path: '/api' | '/apis',
  legacy: (raw: Request) => object,
) {
  app.get(path, ({ req }) =>
    guarded(api, req.raw, (raw) => {
      const wanted = aggregatedVersion(raw.headers.get('accept') ?? '')
      if (!wanted) return respond(raw, legacy(raw))
      return respond(raw, aggregatedDiscovery(path, wanted), aggregatedContentType(wanted))
    }),
  )
}

/** The first entry that can be served decides, as for resources. */
function aggregatedVersion(accept: string): AggregatedVersion | undefined {
  const [first] = accept.split(',').filter((entry) => entry.includes(JSON_TYPE))
  if (!first?.includes('as=APIGroupDiscoveryList')) return undefined
  return first.includes('v=v2beta1') ? 'v2beta1' : 'v2'
}

function resourceList(raw: Request, group: string, wanted: string): Response | Promise<Response> {
  const list = apiResourceList(group)
  // A version we do not have, of a group we do, is a resource that is not there.
  if (list && wanted !== 'v1') throw noSuchResource()
  return respond(raw, list)
}

async function respond(
  raw: Request,
  body: object | undefined,
  type = JSON_TYPE,
): Promise<Response> {
  if (!body) return pageNotFound()
  const headers = new Headers({
    'content-type': type,
    'cache-control': 'no-cache, private',
    vary: 'Accept',
  })
  return await respondWithText(raw, JSON.stringify(body), 200, headers)
}

/** What kubectl reads before it writes: an empty v2, which old ones ask for, and a small v3. */
import type { Hono } from 'hono'
import { openApiDocuments, openApiIndex } from '../../../shared/kube/openapi/documents.ts'
import { correctedNowMs } from '../../../shared/lifecycle/clock-skew.ts'
import type { ApiContext } from '../deps.ts'
import { pageNotFound } from '../response/failure.ts'
import { jsonHeaders, respondWithText } from '../response/json-response.ts'
import { guarded } from './guarded.ts'

// `v2.v1.0`, although clients ask for `v2@v1.0`: with the @ Go refuses to read the type.
const V2_TYPE = 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf'
const YEAR_MS = 365 * 24 * 60 * 60 * 1000

export function mountOpenapi(app: Hono, api: ApiContext): void {
  app.get('/openapi/v2', ({ req }) => guarded(api, req.raw, emptyV2))
  app.get('/openapi/v3', ({ req }) =>
    guarded(api, req.raw, (raw) =>
      respondWithText(raw, JSON.stringify(openApiIndex()), 200, jsonHeaders()),
    ),
  )
  app.get('/openapi/v3/*', ({ req }) => guarded(api, req.raw, (raw) => document(api, raw)))
}

const emptyV2 = (): Response => new Response('', { headers: { 'content-type': V2_TYPE } })

async function document(api: ApiContext, raw: Request): Promise<Response> {
  const { pathname, searchParams } = new URL(raw.url)
  const found = openApiDocuments().get(pathname.slice('/openapi/v3/'.length))
  if (!found) return pageNotFound()
  const headers = jsonHeaders()
  headers.set('etag', `"${found.hash}"`)
  headers.set('vary', 'Accept')
  if (raw.headers.get('if-none-match') === `"${found.hash}"`) {
    return new Response(null, { status: 304, headers })
  }
  // Its address holds its hash, so it can be kept for ever; without Expires kubectl would fetch it
  // every time.
  if (searchParams.get('hash') === found.hash) {
    headers.set('cache-control', 'public, immutable')
    headers.set(
      'expires',
      new Date(correctedNowMs(api.clock, api.store.skewMs) + YEAR_MS).toUTCString(),
    )
  }
  return await respondWithText(raw, found.text, 200, headers)
}

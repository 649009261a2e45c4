/** The one place where an error becomes a response. */
import { internal, type Status, StatusError } from '../../../shared/kube/status-error.ts'
import type { ApiContext } from '../deps.ts'
import type { ApiRequest } from '../request/api-request.ts'
import { jsonHeaders } from './json-response.ts'

export function respondWithFailure(api: ApiContext, request: ApiRequest, error: unknown): Response {
  if (error instanceof StatusError) return respondWithStatus(error.body)

  // What went wrong inside is for the log; the client gets an id to ask about.
  const id = api.uuid()
  const { method, url } = request
  const path = new URL(url).pathname
  api.log({ level: 'error', message: 'request failed', id, method, path, error })
  return respondWithStatus(internal(`the server could not finish this request (id ${id})`).body)
}

function respondWithStatus(body: Status): Response {
  const headers = jsonHeaders()
  const waitSeconds = body.details?.retryAfterSeconds
  if (waitSeconds !== undefined) headers.set('retry-after', String(waitSeconds))
  return new Response(JSON.stringify(body), { status: body.code ?? 200, headers })
}

/** What kube-apiserver says of a path that no group claims. */
export const pageNotFound = (): Response =>
  new Response('404 page not found\n', {
    status: 404,
    headers: { 'content-type': 'text/plain; charset=utf-8' },
  })

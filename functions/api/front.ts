/**
 * What a process answers first is a beat: a PUT or PATCH of one lease. All it needs is loaded from
 * the start and nothing else is; the whole api is loaded when somebody asks for more.
 */
import { lazily } from '../../shared/store/lazily.ts'
import { answerFailure } from './answer/failure.ts'
import { type Answer, responseOf } from './answer/plain-answer.ts'
import { type ApiDeps, completeDeps } from './deps.ts'
import type { App } from './lambda/app.ts'
import type { Incoming } from './request/incoming.ts'
import { serveResource } from './serve.ts'

/** What needs no decoding, so that reading it as a path cannot make it mean anything else. */
const NAME = '[a-z0-9][a-z0-9.-]*'
const LEASE = `/apis/coordination[.]k8s[.]io/v1/namespaces/${NAME}/leases/${NAME}`
const LEASE_URL = new RegExp(`^https?://[^/]+${LEASE}([?][^#]*)?$`)

export interface Front extends App {
  fetch(request: Request): Promise<Response>
  beat(request: Incoming): Promise<Answer> | undefined
}

export function createFront(deps: ApiDeps, loadWhole: () => Promise<App>): Front {
  const api = completeDeps(deps)
  const whole = lazily(loadWhole)

  const beat = (request: Incoming) =>
    isBeat(request)
      ? serveResource(api, request).catch((error) => answerFailure(api, request, error))
      : undefined

  return {
    beat,
    async fetch(request) {
      const answer = beat(request)
      if (answer) return responseOf(await answer)
      try {
        return await (await whole()).fetch(request)
      } catch (error) {
        return answerFailure(api, request, error)
      }
    },
  }
}

const isBeat = ({ method, url }: Incoming): boolean =>
  (method === 'PUT' || method === 'PATCH') && LEASE_URL.test(url)

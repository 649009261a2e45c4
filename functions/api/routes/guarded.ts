/** Runs the handler of a path that is no resource, for a caller who may use that path. */
import type { Identity } from '../../../shared/auth/identity.ts'
import { correctedNowMs } from '../../../shared/lifecycle/clock-skew.ts'
import type { ApiContext } from '../deps.ts'
import { authorisePath, identifyCaller } from '../request/access.ts'

export async function guarded(
  api: ApiContext,
  request: Request,
  handle: (request: Request, identity: Identity) => Response | Promise<Response>,
): Promise<Response> {
  const identity = await identifyCaller(api, request, correctedNowMs(api.clock, api.store.skewMs))
  authorisePath(api, identity, request.method.toLowerCase(), new URL(request.url).pathname)
  return await handle(request, identity)
}

/** Runs a handler for a path that is no resource, once it is known who asks and that they may. */
import type { Identity } from '../../../shared/auth/identity.ts'
import type { Api } from '../deps.ts'
import { nowOf } from '../now.ts'
import { authorisePath, identify } from '../request/access.ts'

export async function guarded(
  api: Api,
  request: Request,
  handle: (request: Request, identity: Identity) => Response | Promise<Response>,
): Promise<Response> {
  const identity = await identify(api, request, nowOf(api))
  authorisePath(api, identity, request.method.toLowerCase(), new URL(request.url).pathname)
  return await handle(request, identity)
}

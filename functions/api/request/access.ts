/**
 * Who is calling, and may they use this path? 401 before anything else, then 403 in Kubernetes' own
 * words.
 */
import type { Attributes, Identity } from '../../../shared/auth/identity.ts'
import {
  forbidden,
  StatusError,
  tooManyRequests,
  unauthorized,
} from '../../../shared/kube/status-error.ts'
import type { Api } from '../deps.ts'
import type { Incoming } from './incoming.ts'

export async function identify(api: Api, request: Incoming, nowMs: number): Promise<Identity> {
  const header = request.headers.get('authorization') ?? undefined
  const caller = await api.authenticator.authenticate(header, nowMs)
  if (caller.kind !== 'known') throw unauthorized()
  refuseImpersonation(request, caller.identity)

  const waitSeconds = api.limiter?.(caller.identity, nowMs)
  if (waitSeconds !== undefined) {
    throw tooManyRequests('this identity sends too many requests; slow down', waitSeconds)
  }
  return caller.identity
}

/** Acting for somebody else is not served; ignoring the header would act as the wrong person. */
function refuseImpersonation(request: Incoming, identity: Identity): void {
  const wanted = request.headers.get('impersonate-user')
  if (wanted === null) return
  const users = { group: '', plural: 'users', kind: 'User' }
  const nowhere = { namespace: '', subresource: '', name: wanted, path: '' }
  const asked = { ...nowhere, verb: 'impersonate', group: '', resource: 'users' }
  throw forbidden(users, wanted, denial(identity, asked, ''))
}

export function authorisePath(api: Api, identity: Identity, verb: string, path: string): void {
  const nothing = { group: '', resource: '', subresource: '', namespace: '', name: '' }
  const verdict = api.authorizer.authorize(identity, { ...nothing, verb, path })
  if (verdict.kind === 'allowed') return
  const why = `forbidden: User "${identity.user}" cannot ${verb} path "${path}"`
  throw new StatusError(403, 'Forbidden', why, {})
}

/** Kubernetes' sentence, and what there is to add to it. */
export function denial({ user }: Identity, attributes: Attributes, reason: string): string {
  const { verb, group, resource, subresource, namespace } = attributes
  const what = subresource ? `${resource}/${subresource}` : resource
  const where = namespace ? `in the namespace "${namespace}"` : 'at the cluster scope'
  const sentence = `User "${user}" cannot ${verb} resource "${what}" in API group "${group}"`
  return reason ? `${sentence} ${where}: ${reason}` : `${sentence} ${where}`
}

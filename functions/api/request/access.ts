/**
 * Who is calling, and may they do this? 401 before anything else, then 403 in Kubernetes' own
 * words: first by the request alone, then by what it would change.
 */
import { asksForRelation } from '../../../shared/auth/access/authorizer.ts'
import type { Attributes, Identity } from '../../../shared/auth/identity.ts'
import { nodeNameOf } from '../../../shared/auth/subject.ts'
import type { KubeObject, Pod } from '../../../shared/kube/objects.ts'
import { isCollectionVerb, type Verb } from '../../../shared/kube/resource.ts'
import {
  forbidden,
  StatusError,
  tooManyRequests,
  unauthorized,
} from '../../../shared/kube/status-error.ts'
import { nodeLeaseNamespace } from '../../../shared/store/lease-state.ts'
import type { ApiContext, ApiDeps, ResourceRequest } from '../deps.ts'
import { checkHolderRule } from '../namespaces/holder-rule.ts'
import type { ApiRequest } from './api-request.ts'

type Callers = Pick<ApiDeps, 'authenticator' | 'limiter'>

export async function identifyCaller(
  api: Callers,
  request: ApiRequest,
  nowMs: number,
): Promise<Identity> {
  const identity = await authenticate(api, request, nowMs)
  callers.set(request, { identity })
  refuseImpersonation(request, identity)
  checkRate(api, identity, nowMs, isBeat(request, identity) ? 'beat' : 'request')
  return identity
}

interface Caller {
  readonly identity: Identity
  /** The URL of a create names no object. */
  createdName?: string
}

const callers = new WeakMap<ApiRequest, Caller>()

/** For the audit: whose request it was, once that was known. */
export const callerOf = (request: ApiRequest): Caller | undefined => callers.get(request)

/** Most requests are beats and reads that are served; those leave no audit line. */
export function isServedQuietly(request: ApiRequest, code: number): boolean {
  if (code >= 400) return false
  const caller = callers.get(request)
  return (
    request.method === 'GET' || (caller !== undefined && nodeNameOf(caller.identity) !== undefined)
  )
}

export function noteCreated(request: ApiRequest, name: string): void {
  const caller = callers.get(request)
  if (caller) caller.createdName = name
}

async function authenticate(
  { authenticator }: Callers,
  request: ApiRequest,
  nowMs: number,
): Promise<Identity> {
  const header = request.headers.get('authorization') ?? undefined
  const caller = await authenticator.authenticate(header, nowMs)
  if (caller.kind !== 'known') throw unauthorized()
  return caller.identity
}

/** By the URL alone: where it does not lead to the caller's own lease, the request is refused anyway. */
function isBeat({ method, url }: ApiRequest, identity: Identity): boolean {
  if (method !== 'PUT' && method !== 'PATCH') return false
  const nodeName = nodeNameOf(identity)
  if (nodeName === undefined) return false
  const [path = ''] = url.split('?', 1)
  return path.endsWith(`/namespaces/${nodeLeaseNamespace}/leases/${nodeName}`)
}

function checkRate(
  { limiter }: Callers,
  identity: Identity,
  nowMs: number,
  level: 'beat' | 'request',
): void {
  const waitSeconds = limiter?.(identity, nowMs, level)
  if (waitSeconds === undefined) return
  throw tooManyRequests('this identity sends too many requests; slow down', waitSeconds)
}

const IMPERSONATION = ['impersonate-user', 'impersonate-group', 'impersonate-uid'] as const

/** Impersonation is not served; ignoring a header would act as the wrong user. */
function refuseImpersonation(request: ApiRequest, identity: Identity): void {
  const header = IMPERSONATION.find((name) => request.headers.get(name) !== null)
  if (header === undefined) return
  const wanted = request.headers.get('impersonate-user') ?? ''
  const users = { group: '', plural: 'users', kind: 'User' }
  const attributes = { ...NOTHING, verb: 'impersonate', resource: 'users', name: wanted, path: '' }
  throw forbidden(users, wanted, denial(identity, attributes, ''))
}

const NOTHING = { group: '', resource: '', subresource: '', namespace: '', name: '' }

export function authorisePath(
  api: ApiContext,
  identity: Identity,
  verb: string,
  path: string,
): void {
  const verdict = api.authorizer.authorize(identity, { ...NOTHING, verb, path })
  if (verdict.kind === 'allowed') return
  const why = `forbidden: User "${identity.user}" cannot ${verb} path "${path}"`
  throw new StatusError(403, 'Forbidden', why, {})
}

export async function authoriseResource(request: ResourceRequest): Promise<void> {
  const attributes = attributesOf(request, request.verb)
  if (!asksForRelation(request.identity, attributes)) return requireAllowed(request, attributes)
  requireAllowed(request, { ...attributes, related: await isBoundToCaller(request, attributes) })
}

/** A second permission that a request turns out to need: a PUT that creates. */
export function authoriseVerb(request: ResourceRequest, verb: Verb): void {
  requireAllowed(request, attributesOf(request, verb))
}

function requireAllowed(request: ResourceRequest, attributes: Attributes): void {
  const { api, identity, resource } = request
  const verdict = api.authorizer.authorize(identity, attributes)
  if (verdict.kind === 'allowed') return
  throw forbidden(resource, attributes.name, denial(identity, attributes, verdict.reason))
}

/** Kubernetes' sentence, and the authoriser's reason where it has one. */
export function denial({ user }: Identity, attributes: Attributes, reason: string): string {
  const { verb, group, resource, subresource, namespace } = attributes
  const what = subresource ? `${resource}/${subresource}` : resource
  const where = namespace ? `in the namespace "${namespace}"` : 'at the cluster scope'
  const sentence = `User "${user}" cannot ${verb} resource "${what}" in API group "${group}"`
  return reason ? `${sentence} ${where}: ${reason}` : `${sentence} ${where}`
}

function attributesOf(request: ResourceRequest, verb: Verb): Attributes {
  const { resource, subresource, key, path } = request
  return {
    verb,
    group: resource.group,
    resource: resource.plural,
    subresource: subresource?.name ?? '',
    namespace: key.namespace,
    name: key.name,
    path,
    ...(isCollectionVerb(verb) && { fieldSelector: request.selection.exact }),
  }
}

async function isBoundToCaller(
  { api, identity, key }: ResourceRequest,
  attributes: Attributes,
): Promise<boolean> {
  const name = key.name || attributes.fieldSelector?.['metadata.name'] || ''
  if (!key.namespace || !name) return false
  const pod = await api.store.objects.get('pods', { namespace: key.namespace, name })
  return (pod?.object as Pod | undefined)?.spec?.nodeName === nodeNameOf(identity)
}

interface AdmittedChange {
  readonly operation: 'create' | 'update' | 'delete'
  readonly object?: KubeObject
  readonly old?: KubeObject
}

/** What an authoriser cannot decide because it needs the objects: NodeRestriction and the like. */
export async function admitChange(request: ResourceRequest, change: AdmittedChange): Promise<void> {
  const { api, identity, resource, key } = request
  // The URL of a create names no object: the name in the body counts.
  const name = key.name || change.object?.metadata.name || ''
  const subresource = request.subresource?.name ?? ''
  const place = { namespace: key.namespace, name }
  const admission = { ...change, identity, resource, subresource, key: place }
  checkHolderRule(admission)
  await api.admission?.(admission)
}

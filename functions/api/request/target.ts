/** Which resource, subresource and verb does this request name? Reads method and path only. */
import { leases } from '../../../shared/kube/lease/resource.ts'
import type { Resource, Subresource, Verb } from '../../../shared/kube/resource.ts'
import { badRequest, methodNotAllowed, noSuchResource } from '../../../shared/kube/status-error.ts'
import { lazily } from '../../../shared/store/lazily.ts'
import type { Key } from '../../../shared/store/ports.ts'

export interface ResourceTarget {
  readonly verb: Verb
  readonly resource: Resource
  readonly subresource: Subresource | undefined
  /** Namespace empty for all namespaces or cluster-wide; name empty for a collection. */
  readonly key: Key
}

interface Served {
  readonly groups: ReadonlySet<string>
  readonly findResource: (group: string, plural: string) => Resource | undefined
}

/** Leases are alone in their group, so a renewal need not wait until the others are loaded. */
const onlyLeases: Served = {
  groups: new Set([leases.group]),
  findResource: (_group, plural) =>
    plural === leases.plural ? (leases as unknown as Resource) : undefined,
}

const everything = lazily(async (): Promise<Served> => {
  const [{ findResource, resources }, { reviews }] = await Promise.all([
    import('../../../shared/kube/registry.ts'),
    import('../../../shared/kube/review/resource.ts'),
  ])
  return { groups: new Set([...resources, ...reviews].map(({ group }) => group)), findResource }
})

// A DNS subdomain, the longest name there is.
const MAX_NAME_BYTES = 253

/** Undefined when the path is not ours at all, not even its group. */
export async function parseTarget(
  method: string,
  pathname: string,
  watch: boolean,
): Promise<ResourceTarget | undefined> {
  const [root, ...rest] = segmentsOf(pathname)
  const [group, version, ...parts] = root === 'api' ? ['', ...rest] : rest
  if (group === undefined || version === undefined) return undefined
  const { groups, findResource } = group === leases.group ? onlyLeases : await everything()
  if (!groups.has(group)) return undefined
  if (version !== 'v1' || parts.length === 0) throw noSuchResource()

  const place = placeOf(group, parts)
  const resource = findResource(group, place.plural)
  if (!resource) throw noSuchResource()
  return targetOf(resource, place, method, watch)
}

interface Place {
  readonly namespace: string
  readonly plural: string
  readonly name: string
  readonly subresource: string
}

/**
 * `namespaces/x/pods/y/status` is a pod in x, but `namespaces/x/status` is the namespace x itself.
 */
function placeOf(group: string, parts: readonly string[]): Place {
  const [first = '', second = '', third = ''] = parts
  const own = group === '' && (third === 'status' || third === 'finalize')
  const inNamespace = first === 'namespaces' && parts.length > 2 && !own
  const [plural = '', name = '', subresource = '', ...surplus] = inNamespace
    ? parts.slice(2)
    : parts
  if (surplus.length > 0) throw noSuchResource()
  return { namespace: inNamespace ? second : '', plural, name, subresource }
}

function targetOf(
  resource: Resource,
  place: Place,
  method: string,
  watch: boolean,
): ResourceTarget {
  if (place.namespace !== '' && !resource.namespaced) throw noSuchResource()
  const everywhere = resource.namespaced && place.namespace === ''
  if (everywhere && place.name !== '') throw noSuchResource()

  const subresource = resource.subresources.find(({ name }) => name === place.subresource)
  if (place.subresource !== '' && !subresource) throw noSuchResource()
  const verb = verbOf(method, place.name !== '', watch)
  const allowed = subresource?.verbs ?? resource.verbs
  // What is written is in a namespace: across all of them there is only reading.
  const isWrite = verb === 'create' || verb === 'deletecollection'
  if (!verb || !allowed.includes(verb) || (everywhere && isWrite)) throw methodNotAllowed()
  return { verb, resource, subresource, key: { namespace: place.namespace, name: place.name } }
}

/** Undefined where the pair means nothing here. */
function verbOf(method: string, named: boolean, watch: boolean): Verb | undefined {
  switch (method) {
    case 'GET':
      if (watch) return named ? undefined : 'watch'
      return named ? 'get' : 'list'
    case 'POST':
      return 'create'
    case 'PUT':
      return named ? 'update' : undefined
    case 'PATCH':
      return named ? 'patch' : undefined
    case 'DELETE':
      return named ? 'delete' : 'deletecollection'
    default:
      return undefined
  }
}

function segmentsOf(pathname: string): string[] {
  const trimmed = pathname.endsWith('/') ? pathname.slice(1, -1) : pathname.slice(1)
  return trimmed.split('/').map(decodeSegment)
}

/** A slash, a percent sign or a control character means an escape that no honest client sends. */
function decodeSegment(raw: string): string {
  if (raw.length > 0 && PLAIN.test(raw) && raw.length <= MAX_NAME_BYTES) return raw
  const segment = decoded(raw)
  if (segment === '' || segment === '.' || segment === '..' || UNSAFE.test(segment)) {
    throw badRequest(`invalid path segment ${JSON.stringify(segment)}`)
  }
  if (Buffer.byteLength(segment) > MAX_NAME_BYTES) {
    throw badRequest(`a path segment must be no more than ${MAX_NAME_BYTES} bytes`)
  }
  return segment
}

const PLAIN = /^[a-z0-9-]+(\.[a-z0-9-]+)*$/
// biome-ignore lint/suspicious/noControlCharactersInRegex: refusing control characters is the point
const UNSAFE = /[/%\\\u0000-\u001f\u007f]/

function decoded(raw: string): string {
  try {
    return decodeURIComponent(raw)
  } catch (error) {
    if (error instanceof URIError) throw badRequest('the path holds a malformed percent escape')
    throw error
  }
}

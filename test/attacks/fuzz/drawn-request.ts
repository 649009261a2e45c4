/** One request: somebody, some verb, some resource, some body. */
import { resources } from '../../../shared/kube/registry.ts'
import type { Resource, Verb } from '../../../shared/kube/resource.ts'
import type { Call } from '../../functions/api/world.ts'
import { chance, hostileValue, pick, type Random, soundObject, spoiled } from './hostile-objects.ts'

export interface DrawnRequest {
  readonly method: string
  readonly path: string
  readonly call: Call
}

const OTHER_NAMES = ['c', 'new', 'leasehold-canary', 'fleet', 'z', 'node.a', 'default']
const OTHER_NAMESPACES = ['kube-node-lease', 'kube-system', 'shop', 'nowhere']
const METHODS = ['GET', 'GET', 'POST', 'PUT', 'PUT', 'PATCH', 'PATCH', 'PATCH']
/** What hosts and people write most comes most. */
const OFTEN = resources.filter(({ plural }) =>
  ['nodes', 'pods', 'leases', 'events', 'namespaces'].includes(plural),
)

const OTHER_PATHS = [
  ...['/', '/api', '/apis', '/apis/nope/v1/x', '/openapi/v2', '/openapi/v3', '/metrics'],
  ...['/readyz', '/version', '/assets/x.js', '/api/v1/nodes/a/token', '/api/v1/secrets/a'],
  '/apis/leasehold.dev/v1/bootstraptokens',
  '/apis/leasehold.dev/v1/bootstraptokens/abcdef',
  '/apis/leasehold.dev/v1/nodes/a/token',
  '/apis/leasehold.dev/v1/nodes/new/token',
  '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews',
  '/apis/authorization.k8s.io/v1/selfsubjectrulesreviews',
  '/apis/authentication.k8s.io/v1/selfsubjectreviews',
]

const PATCHES = [
  'application/merge-patch+json',
  'application/strategic-merge-patch+json',
  'application/json-patch+json',
  'application/apply-patch+yaml',
]
const TYPES = [
  ...['application/json', 'application/yaml', 'application/vnd.kubernetes.protobuf', 'text/plain'],
  ...['', 'application/json;as=Table', 'application/cbor'],
]
const ACCEPTS = [
  'application/json;as=Table;g=meta.k8s.io;v=v1',
  'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1',
  ...['application/vnd.kubernetes.protobuf', '*/*', ';;;', 'text/html'],
]

const QUERIES: Readonly<Record<string, readonly string[]>> = {
  dryRun: ['All', 'x', ''],
  fieldValidation: ['Strict', 'Warn', 'Ignore', 'x'],
  fieldManager: ['m', 'x'.repeat(200)],
  force: ['true', '1', 'x'],
  limit: ['1', '0', '-1', '500', '99999999999999999999', 'x'],
  continue: ['x', 'eyJ2IjoxfQ==', ''],
  fieldSelector: ['spec.nodeName=a', 'metadata.name=a', 'metadata.name!=a', 'a=b', ',,', '='],
  labelSelector: ['app=x', 'app in (x,y)', '!app', 'app notin (', 'a=b,'.repeat(500)],
  resourceVersion: ['0', '1', 'x', '99999999999999999999', '-1'],
  resourceVersionMatch: ['Exact', 'NotOlderThan', 'x'],
  watch: ['true', '1', 'x'],
  allowWatchBookmarks: ['true'],
  sendInitialEvents: ['true'],
  timeoutSeconds: ['0', '1', 'x', '99999999'],
  gracePeriodSeconds: ['0', '-1', 'x', '1e9'],
  propagationPolicy: ['Orphan', 'Foreground', 'Background', 'x'],
  pretty: ['true'],
}

export function drawRequest(random: Random, callers: readonly (string | null)[]): DrawnRequest {
  const method = chance(random, 0.03) ? 'DELETE' : pick(random, METHODS)
  const as = pick(random, callers)
  const resource = pick(random, chance(random, 0.75) ? OFTEN : resources)
  const place = chance(random, 0.06)
    ? { path: pick(random, OTHER_PATHS), name: 'a', namespace: '' }
    : pathOf(random, resource, method)
  const headers: Record<string, string> = {
    ...(chance(random, 0.1) && { accept: pick(random, ACCEPTS) }),
    ...(chance(random, 0.01) && { 'impersonate-group': 'system:masters' }),
    ...(chance(random, 0.01) && { 'content-length': pick(random, ['0', '99999999', 'x', '-1']) }),
  }
  const path = `${place.path}${queryOf(random)}`
  if (method === 'GET') return { method, path, call: { as, headers } }
  return { method, path, call: { as, headers, ...bodyOf(random, method, resource, place) } }
}

interface Place {
  readonly path: string
  readonly name: string
  readonly namespace: string
}

function pathOf(random: Random, resource: Resource, method: string): Place {
  const { group, plural, namespaced, subresources } = resource
  const root = group ? `/apis/${group}/v1` : '/api/v1'
  const home = plural === 'leases' && chance(random, 0.7) ? 'kube-node-lease' : 'default'
  const other = chance(random, 0.3) ? pick(random, OTHER_NAMESPACES) : home
  const namespace = namespaced && chance(random, 0.95) ? other : ''
  const base = namespace ? `${root}/namespaces/${namespace}/${plural}` : `${root}/${plural}`
  const known = plural === 'pods' ? 'p' : pick(random, ['a', 'a', 'b'])
  const drawn = chance(random, 0.02) ? JSON.stringify(hostileValue(random)) : known
  const name = chance(random, 0.2) ? pick(random, OTHER_NAMES) : drawn
  const isCollection = { POST: 0.85, GET: 0.3, DELETE: 0.2 }[method] ?? 0.02
  if (chance(random, isCollection)) return { path: base, name, namespace }
  const subs = subresources.filter(({ verbs }) => verbs.includes(VERB[method] ?? 'get'))
  const sub = chance(random, 0.3) && subs.length > 0 ? `/${pick(random, subs).name}` : ''
  const segment = encodeURIComponent(name.toWellFormed().slice(0, 2_000))
  return { path: `${base}/${segment}${sub || (chance(random, 0.02) ? '/x' : '')}`, name, namespace }
}

const VERB: Readonly<Partial<Record<string, Verb>>> = {
  POST: 'create',
  PUT: 'update',
  PATCH: 'patch',
}

function queryOf(random: Random): string {
  if (chance(random, 0.7)) return ''
  const query = new URLSearchParams()
  for (let at = 0; at < 1 + random() * 3; at++) {
    const name = pick(random, Object.keys(QUERIES))
    query.append(name, pick(random, QUERIES[name]!))
  }
  return `?${query}`
}

function bodyOf(random: Random, method: string, resource: Resource, place: Place): Partial<Call> {
  if (method === 'DELETE' && chance(random, 0.7)) return {}
  const patch = method === 'PATCH'
  const type = chance(random, 0.9)
    ? pick(random, patch ? PATCHES : ['application/json'])
    : pick(random, TYPES)
  if (chance(random, 0.03)) return { raw: garbage(random), type }
  if (patch && chance(random, 0.03)) return { raw: longRenewal(random), type }
  const sound = soundObject(resource, place.name, place.namespace)
  const sent = type.startsWith('application/json-patch') ? jsonPatch(random) : sound
  const places = chance(random, 0.5) ? 0 : 1 + Math.floor(random() * 3)
  return { raw: JSON.stringify(spoiled(random, sent, places)) ?? '', type }
}

const garbage = (random: Random): string | Uint8Array<ArrayBuffer> =>
  pick(random, [
    ...['', '{', '[]', 'null', '{"a":'.repeat(3_000), '[{"op":"add"}]', 'a: &a [*a]', '\u0000'],
    new Uint8Array([0x6b, 0x38, 0x73, 0x00, 0xff, 0xff, 0x01]),
    new Uint8Array([0x7b, 0xff, 0x7d]),
    ' '.repeat(3 * 1024 * 1024 + 1),
    JSON.stringify({ metadata: { labels: { a: '!'.repeat(2 * 1024 * 1024) } } }),
    JSON.stringify(Array.from({ length: 60_000 }, () => 1)),
  ])

/** As an agent renews, with a value that is as long as a body may be. */
function longRenewal(random: Random): string {
  const long = 'x'.repeat(pick(random, [2_000, 100_000, 500_000, 2_500_000]))
  const spec = { renewTime: '2026-01-02T03:04:05.000000Z', holderIdentity: long }
  return JSON.stringify(pick(random, [{ spec }, { metadata: { uid: long }, spec: {} }]))
}

const jsonPatch = (random: Random) =>
  Array.from({ length: 1 + Math.floor(random() * 20) }, () => ({
    op: pick(random, ['add', 'remove', 'replace', 'move', 'copy', 'test', 'x']),
    path: pick(random, [
      '/metadata/labels',
      '/spec',
      '/metadata/name',
      '',
      '/~2',
      '/spec/taints/-',
    ]),
    from: pick(random, ['', '/metadata', '/spec']),
    value: hostileValue(random),
  }))

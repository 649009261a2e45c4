/**
 * What is served here? The documents a client reads before its first request: the legacy ones, one
 * per group, and the aggregated one. Only what is implemented is listed: some clients use all they
 * find.
 */
import { resources } from './registry.ts'
import type { Resource, Subresource } from './resource.ts'
import { groupVersion } from './resource.ts'
import { type Review, reviews } from './review/resource.ts'

type Served = Review & Partial<Pick<Resource, 'shortNames' | 'categories' | 'subresources'>>
type Advertised = Omit<Served, 'namespaced' | 'schema'> & { readonly namespaced: boolean }

const served: readonly Advertised[] = [...resources, ...reviews]

/** In order of name; the core group, whose name is empty, comes first. */
const groups: readonly string[] = [...new Set(served.map(({ group }) => group))].sort()
const named = groups.filter((group) => group !== '')
const inGroup = (group: string) => served.filter((one) => one.group === group)

/** `GET /api`. The address holds for clients from anywhere. */
export const apiVersions = (serverAddress: string) => ({
  kind: 'APIVersions',
  versions: ['v1'],
  serverAddressByClientCIDRs: [{ clientCIDR: '0.0.0.0/0', serverAddress }],
})

/** `GET /apis`. */
export const apiGroupList = () => ({
  kind: 'APIGroupList',
  apiVersion: 'v1',
  groups: named.map(groupOf),
})

/** `GET /apis/{group}`. */
export const apiGroup = (name: string) =>
  named.includes(name) ? { kind: 'APIGroup', apiVersion: 'v1', ...groupOf(name) } : undefined

function groupOf(name: string) {
  const version = { groupVersion: `${name}/v1`, version: 'v1' }
  return { name, versions: [version], preferredVersion: version }
}

/** `GET /api/v1`, with the empty group, and `GET /apis/{group}/v1`. */
export function apiResourceList(group: string) {
  if (!groups.includes(group)) return undefined
  return {
    kind: 'APIResourceList',
    apiVersion: 'v1',
    groupVersion: groupVersion({ group, version: 'v1' }),
    resources: inGroup(group).flatMap((one) => [
      legacyResource(one),
      ...(one.subresources ?? []).map((sub) => legacySubresource(one, sub)),
    ]),
  }
}

const legacyResource = ({ plural, singular, ...one }: Advertised) => ({
  name: plural,
  singularName: singular,
  namespaced: one.namespaced,
  kind: one.kind,
  verbs: one.verbs,
  ...shortNamesAndCategories(one),
})

function shortNamesAndCategories({ shortNames = [], categories = [] }: Partial<Advertised>) {
  return {
    ...(shortNames.length > 0 && { shortNames }),
    ...(categories.length > 0 && { categories }),
  }
}

/**
 * Group and version are said only where they are not the parent's: `kubectl drain` looks for them
 * on evictions.
 */
function legacySubresource(parent: Advertised, { name, kind, verbs }: Subresource) {
  const foreign = kind && kind.group !== parent.group
  return {
    name: `${parent.plural}/${name}`,
    singularName: '',
    namespaced: parent.namespaced,
    ...(foreign && { group: kind.group, version: kind.version }),
    kind: kind?.kind ?? parent.kind,
    verbs,
  }
}

export type AggregatedVersion = 'v2' | 'v2beta1'

/** Without exactly this type clients take the answer for a legacy document without groups. */
export const aggregatedContentType = (version: AggregatedVersion) =>
  `application/json;g=apidiscovery.k8s.io;v=${version};as=APIGroupDiscoveryList`

/** `GET /api` (core) and `GET /apis` (the others) for clients that ask for the aggregated form. */
export const aggregatedDiscovery = (path: '/api' | '/apis', version: AggregatedVersion) => ({
  kind: 'APIGroupDiscoveryList',
  apiVersion: `apidiscovery.k8s.io/${version}`,
  metadata: {},
  items: (path === '/api' ? [''] : named).map((group) => ({
    metadata: group ? { name: group } : {},
    versions: [
      { version: 'v1', freshness: 'Current', resources: inGroup(group).map(aggregatedResource) },
    ],
  })),
})

const aggregatedResource = (one: Advertised) => ({
  resource: one.plural,
  responseKind: responseKind(one, undefined),
  scope: one.namespaced ? 'Namespaced' : 'Cluster',
  singularResource: one.singular,
  verbs: one.verbs,
  ...shortNamesAndCategories(one),
  ...(one.subresources?.length && {
    subresources: one.subresources.map((sub) => ({
      subresource: sub.name,
      responseKind: responseKind(one, sub.kind),
      verbs: sub.verbs,
    })),
  }),
})

/** Empty group and version mean the parent's. */
function responseKind(parent: Advertised, kind: Subresource['kind']) {
  const foreign = kind && kind.group !== parent.group
  return {
    group: foreign ? kind.group : '',
    version: foreign ? kind.version : '',
    kind: kind?.kind ?? parent.kind,
  }
}

/**
 * Which objects does a watch mean? Asked of labels and fields, because of the past nothing else is
 * kept.
 */
import type { Resource } from '../../../shared/kube/resource.ts'
import { parseFieldSelector, parseLabelSelector } from '../../../shared/kube/selectors.ts'
import type { Change, Key } from '../../../shared/store/ports.ts'
import type { ResourceRequest } from '../request/resource-request.ts'

export type Look = Pick<Change, 'labels' | 'fields'>

export interface Matcher {
  /** Nothing a change can do makes an object match or not: no selectors, or only by name. */
  readonly isSteady: boolean
  /** Whether an object of this name can ever match. */
  covers(key: Key): boolean
  matches(look: Look): boolean
  /** Half of it, which says no for good as long as the labels stay. */
  matchesLabels(labels: Look['labels']): boolean
}

export function matcherOf({ resource, key, query }: MatcherRequest): Matcher {
  const labelText = query.get('labelSelector') ?? ''
  const labels = parseLabelSelector(labelText)
  const known = Object.keys(resource.selectable({ metadata: {} }))
  const fields = parseFieldSelector(query.get('fieldSelector') ?? '', known)
  const names = Object.keys(fields.exact).every((field) => NAMES.has(field))
  return {
    isSteady: labelText === '' && names && !query.get('fieldSelector')?.includes('!='),
    covers: (of) => inPlace(of, key.namespace) && isNamed(of, fields.exact),
    matches: (look) => labels(look.labels) && fields.matches(look.fields),
    matchesLabels: labels,
  }
}

export interface MatcherRequest extends Pick<ResourceRequest, 'key' | 'query'> {
  readonly resource: Pick<Resource, 'selectable'>
}

const NAMES = new Set(['metadata.name', 'metadata.namespace'])

const inPlace = (key: Key, namespace: string) => namespace === '' || key.namespace === namespace

function isNamed(key: Key, exact: Readonly<Record<string, string>>): boolean {
  const name = exact['metadata.name'] ?? key.name
  const namespace = exact['metadata.namespace'] ?? key.namespace
  return name === key.name && namespace === key.namespace
}

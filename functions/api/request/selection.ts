/** Which objects of a collection does the client ask for? The selectors of a list or watch. */
import type { KubeObject } from '../../../shared/kube/objects.ts'
import { parseFieldSelector, parseLabelSelector } from '../../../shared/kube/selectors.ts'
import type { Change, Key } from '../../../shared/store/ports.ts'
import type { ResourceTarget } from './target.ts'

/** Of the past states of an object only its labels and fields are stored. */
type SelectableState = Pick<Change, 'labels' | 'fields'>

export interface Selection {
  /** Every object matches, so none need be looked at. */
  readonly isEmpty: boolean
  /** No selectors, or only by name: no change of an object makes it match or cease to. */
  readonly isByName: boolean
  /** The fields that are held to one value: what the authoriser and the storage can use. */
  readonly exact: Readonly<Record<string, string>>
  /** Whether an object of this name can ever match. */
  covers(key: Key): boolean
  matches(object: KubeObject): boolean
  matchesState(state: SelectableState): boolean
  matchesLabels(labels: SelectableState['labels']): boolean
}

const always = () => true

export const EVERYTHING: Selection = {
  isEmpty: true,
  isByName: true,
  exact: {},
  covers: always,
  matches: always,
  matchesState: always,
  matchesLabels: always,
}

type Collection = Pick<ResourceTarget, 'resource' | 'key'>

export function selectionOf({ resource, key }: Collection, query: URLSearchParams): Selection {
  const labelText = query.get('labelSelector') ?? ''
  const fieldText = query.get('fieldSelector') ?? ''
  const matchesLabels = parseLabelSelector(labelText)
  const { fieldNames } = resource.storedForm ?? {}
  const supported = Object.keys(fieldNames ?? resource.selectable({ metadata: {} }))
  const fields = parseFieldSelector(fieldText, supported, fieldNames)
  const { exact } = fields
  const matchesState = (state: SelectableState) =>
    matchesLabels(state.labels) && fields.matches(state.fields)
  return {
    isEmpty: labelText === '' && fieldText === '',
    isByName:
      labelText === '' &&
      !fieldText.includes('!=') &&
      Object.keys(exact).every((field) => NAMES.has(field)),
    exact,
    covers: (of) =>
      (key.namespace === '' || of.namespace === key.namespace) &&
      of.name === (exact['metadata.name'] ?? of.name) &&
      of.namespace === (exact['metadata.namespace'] ?? of.namespace),
    matches: (object) =>
      matchesLabels(object.metadata.labels) && fields.matches(resource.selectable(object)),
    matchesState,
    matchesLabels,
  }
}

const NAMES = new Set(['metadata.name', 'metadata.namespace'])

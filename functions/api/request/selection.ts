/** Which objects of a collection does the client want to see? */
import type { KubeObject } from '../../../shared/kube/objects.ts'
import { parseFieldSelector, parseLabelSelector } from '../../../shared/kube/selectors.ts'
import type { ResourceTarget } from './target.ts'

export interface Selection {
  /** Everything matches, so nothing need be looked at. */
  readonly isEmpty: boolean
  readonly matches: (object: KubeObject) => boolean
  /** The fields that are held to one value: what an authoriser and a shelf can use. */
  readonly exact: Readonly<Record<string, string>>
}

const EVERYTHING: Selection = { isEmpty: true, matches: () => true, exact: {} }

export function selectionOf({ verb, resource }: ResourceTarget, query: URLSearchParams): Selection {
  const labelText = query.get('labelSelector') ?? ''
  const fieldText = query.get('fieldSelector') ?? ''
  const isCollection = verb === 'list' || verb === 'watch'
  if (!isCollection || (labelText === '' && fieldText === '')) return EVERYTHING

  const labels = parseLabelSelector(labelText)
  const fields = parseFieldSelector(fieldText, Object.keys(resource.selectable({ metadata: {} })))
  return {
    isEmpty: false,
    matches: (object) =>
      labels(object.metadata.labels) && fields.matches(resource.selectable(object)),
    exact: fields.exact,
  }
}

/** The request that a SelfSubjectAccessReview asks about, as the authoriser sees requests. */
import type { Attributes } from '../../../shared/auth/identity.ts'
import { invalidValue } from '../../../shared/kube/field-errors.ts'
import { reviews } from '../../../shared/kube/review/resource.ts'
import { invalid } from '../../../shared/kube/status-error.ts'

export interface ReviewedAttributes {
  readonly resourceAttributes?: {
    readonly namespace?: string
    readonly verb?: string
    readonly group?: string
    readonly resource?: string
    readonly subresource?: string
    readonly name?: string
    readonly fieldSelector?: { readonly requirements?: readonly Requirement[] }
  }
  readonly nonResourceAttributes?: { readonly path?: string; readonly verb?: string }
}

interface Requirement {
  readonly key?: string
  readonly operator?: string
  readonly values?: readonly string[]
}

export function attributesIn(spec: ReviewedAttributes): Attributes {
  const { resourceAttributes: asked, nonResourceAttributes: path } = spec
  if (!asked === !path) {
    const why = 'exactly one of nonResourceAttributes or resourceAttributes must be specified'
    throw invalid(REVIEW, '', [invalidValue('spec.resourceAttributes', asked, why)])
  }
  if (!asked) return { ...NOTHING, verb: path?.verb ?? '', path: path?.path ?? '' }
  const { namespace = '', verb = '', group = '', subresource = '', name = '' } = asked
  // An empty resource would be read as a path.
  const resource = asked.resource || '*'
  const pinned = pinnedBy(asked.fieldSelector?.requirements ?? [])
  return { namespace, verb, group, resource, subresource, name, path: '', fieldSelector: pinned }
}

const REVIEW = reviews.find(({ kind }) => kind === 'SelfSubjectAccessReview')!

const NOTHING = { namespace: '', group: '', resource: '', subresource: '', name: '' }

function pinnedBy(requirements: readonly Requirement[]): Record<string, string> {
  return Object.fromEntries(
    requirements.flatMap(({ key = '', operator, values = [] }) =>
      operator === 'In' && values.length === 1 ? [[key, values[0]!]] : [],
    ),
  )
}

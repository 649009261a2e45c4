/** Questions a caller may ask about itself: posted, answered, never stored. */
import type { Verb } from '../resource.ts'
import type { ObjectSchema } from '../schema.ts'
import {
  selfSubjectAccessReviewSchema,
  selfSubjectReviewSchema,
  selfSubjectRulesReviewSchema,
} from './schema.ts'

export interface Review {
  readonly group: string
  readonly version: 'v1'
  readonly plural: string
  readonly singular: string
  readonly kind: string
  readonly namespaced: false
  readonly verbs: readonly Verb[]
  readonly schema: ObjectSchema
}

const review = (group: string, kind: string, schema: ObjectSchema): Review => ({
  group,
  version: 'v1',
  plural: `${kind.toLowerCase()}s`,
  singular: kind.toLowerCase(),
  kind,
  namespaced: false,
  verbs: ['create'],
  schema,
})

export const reviews: readonly Review[] = [
  review('authentication.k8s.io', 'SelfSubjectReview', selfSubjectReviewSchema),
  review('authorization.k8s.io', 'SelfSubjectAccessReview', selfSubjectAccessReviewSchema),
  review('authorization.k8s.io', 'SelfSubjectRulesReview', selfSubjectRulesReviewSchema),
]

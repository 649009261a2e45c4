/** Questions a caller asks about itself: may I, what may I, who am I. */

import { metadataField, typeFields } from '../meta/schema.ts'
import {
  boolean,
  field,
  listOf,
  mapOf,
  object,
  pointer,
  required,
  string,
  unnumbered,
} from '../schema.ts'

const AUTHORIZATION = 'io.k8s.api.authorization.v1'
const AUTHENTICATION = 'io.k8s.api.authentication.v1'
const META = 'io.k8s.apimachinery.pkg.apis.meta.v1'

/** Fields and labels are narrowed in the same way. */
const selectorSchema = (by: 'Field' | 'Label') =>
  object(
    `${AUTHORIZATION}.${by}SelectorAttributes`,
    `Narrows the question to objects with certain ${by.toLowerCase()}s.`,
    {
      rawSelector: field(1, string, 'As in a URL.'),
      requirements: field(
        2,
        listOf(
          object(`${META}.${by}SelectorRequirement`, 'One condition.', {
            key: required(1, string, 'Field or label.'),
            operator: required(2, string, 'In, NotIn, Exists or DoesNotExist.'),
            values: field(3, listOf(string), 'What it is compared with.'),
          }),
        ),
        'All of which must hold.',
      ),
    },
  )

const resourceAttributesSchema = object(
  `${AUTHORIZATION}.ResourceAttributes`,
  'A request for a resource.',
  {
    namespace: field(1, string, 'Its namespace; empty for all, or for none at the cluster scope.'),
    verb: field(2, string, 'get, list, watch, create, update, patch, delete, or * for all.'),
    group: field(3, string, 'Its API group, or * for all.'),
    version: field(4, string, 'Its version, or * for all.'),
    resource: field(5, string, 'The plural, or * for all.'),
    subresource: field(6, string, 'The subresource, if one is meant.'),
    name: field(7, string, 'Its name; empty for all.'),
    fieldSelector: pointer(8, selectorSchema('Field'), 'Narrows the question by fields.'),
    labelSelector: pointer(9, selectorSchema('Label'), 'Narrows the question by labels.'),
  },
)

const nonResourceAttributesSchema = object(
  `${AUTHORIZATION}.NonResourceAttributes`,
  'A request for a path.',
  {
    path: field(1, string, 'The path.'),
    verb: field(2, string, 'The method in small letters.'),
  },
)

const accessReviewSpecSchema = object(
  `${AUTHORIZATION}.SelfSubjectAccessReviewSpec`,
  'The request in question; exactly one of the two.',
  {
    resourceAttributes: pointer(1, resourceAttributesSchema, 'A request for a resource.'),
    nonResourceAttributes: pointer(2, nonResourceAttributesSchema, 'A request for a path.'),
  },
)

const accessReviewStatusSchema = object(
  `${AUTHORIZATION}.SubjectAccessReviewStatus`,
  'The answer.',
  {
    allowed: required(1, boolean, 'Whether the caller may.'),
    reason: field(2, string, 'Why, or why not.'),
    evaluationError: field(3, string, 'What went wrong while deciding.'),
    denied: field(4, boolean, 'Whether it was refused outright.'),
  },
)

export const selfSubjectAccessReviewSchema = object(
  `${AUTHORIZATION}.SelfSubjectAccessReview`,
  'May I do this?',
  {
    ...typeFields,
    metadata: metadataField,
    spec: required(2, accessReviewSpecSchema, 'The question.'),
    status: field(3, accessReviewStatusSchema, 'The answer; set by the server.'),
  },
)

const resourceRuleSchema = object(`${AUTHORIZATION}.ResourceRule`, 'What may be done to what.', {
  verbs: required(1, listOf(string), 'What may be done.'),
  apiGroups: field(2, listOf(string), 'In which groups.'),
  resources: field(3, listOf(string), 'To which resources.'),
  resourceNames: field(4, listOf(string), 'To which names; empty for all.'),
})

const nonResourceRuleSchema = object(`${AUTHORIZATION}.NonResourceRule`, 'Which paths are open.', {
  verbs: required(1, listOf(string), 'With which methods.'),
  nonResourceURLs: field(2, listOf(string), 'Which paths.'),
})

const rulesReviewSpecSchema = object(
  `${AUTHORIZATION}.SelfSubjectRulesReviewSpec`,
  'Where the caller wants to know.',
  { namespace: field(1, string, 'The namespace asked about.') },
)

const rulesReviewStatusSchema = object(
  `${AUTHORIZATION}.SubjectRulesReviewStatus`,
  'What the caller may do.',
  {
    resourceRules: required(1, listOf(resourceRuleSchema), 'Rules for resources.'),
    nonResourceRules: required(2, listOf(nonResourceRuleSchema), 'Rules for paths.'),
    incomplete: required(3, boolean, 'Whether there may be more.'),
    evaluationError: field(4, string, 'What went wrong while collecting.'),
  },
)

export const selfSubjectRulesReviewSchema = object(
  `${AUTHORIZATION}.SelfSubjectRulesReview`,
  'What may I do?',
  {
    ...typeFields,
    metadata: metadataField,
    spec: required(2, rulesReviewSpecSchema, 'The question.'),
    status: field(3, rulesReviewStatusSchema, 'The answer; set by the server.'),
  },
)

const userInfoSchema = object(`${AUTHENTICATION}.UserInfo`, 'Who the caller is.', {
  username: field(1, string, 'The name.'),
  uid: field(2, string, 'The uid, if there is one.'),
  groups: field(3, listOf(string), 'The groups.'),
  extra: unnumbered(mapOf(listOf(string)), 'What else the authenticator knows.'),
})

const selfSubjectReviewStatusSchema = object(
  `${AUTHENTICATION}.SelfSubjectReviewStatus`,
  'The answer.',
  { userInfo: field(1, userInfoSchema, 'Who the caller is.') },
)

export const selfSubjectReviewSchema = object(`${AUTHENTICATION}.SelfSubjectReview`, 'Who am I?', {
  ...typeFields,
  metadata: metadataField,
  status: field(2, selfSubjectReviewStatusSchema, 'The answer; set by the server.'),
})

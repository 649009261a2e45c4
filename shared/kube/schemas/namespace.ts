/** A Namespace: a space in which names are unique. */
import { field, listBy, listOf, object, required, string, time } from '../schema.ts'
import { metadataField, typeFields } from './meta.ts'

const CORE = 'io.k8s.api.core.v1'

const namespaceSpecSchema = object(`${CORE}.NamespaceSpec`, 'What is wanted of the namespace.', {
  finalizers: field(1, listOf(string), 'Who must let go before the namespace is gone.'),
})

const namespaceConditionSchema = object(
  `${CORE}.NamespaceCondition`,
  'One aspect of the state of a namespace.',
  {
    type: required(1, string, 'Which aspect.'),
    status: required(2, string, 'True, False or Unknown.'),
    lastTransitionTime: field(4, time, 'When the status last changed.'),
    reason: field(5, string, 'One word for programs.'),
    message: field(6, string, 'A sentence for people.'),
  },
)

const namespaceStatusSchema = object(`${CORE}.NamespaceStatus`, 'How the namespace is.', {
  phase: field(1, string, 'Active or Terminating.'),
  conditions: field(2, listBy('type', namespaceConditionSchema), 'How its deletion goes.'),
})

export const namespaceSchema = object(
  `${CORE}.Namespace`,
  'A space in which the names of leases, pods and events are unique.',
  {
    ...typeFields,
    metadata: metadataField,
    spec: field(2, namespaceSpecSchema, 'What is wanted of the namespace.'),
    status: field(3, namespaceStatusSchema, 'How the namespace is.'),
  },
)

/** The bodies that pods/binding and pods/eviction take instead of a Pod. */

import { objectReferenceSchema } from '../event/schema.ts'
import { deleteOptionsSchema } from '../meta/delete-options-schema.ts'
import { metadataField, typeFields } from '../meta/schema.ts'
import { object, pointer, required } from '../schema.ts'

export const bindingSchema = object('io.k8s.api.core.v1.Binding', 'Assigns a pod to a node.', {
  ...typeFields,
  metadata: metadataField,
  target: required(2, objectReferenceSchema, 'The node.'),
})

export const evictionSchema = object(
  'io.k8s.api.policy.v1.Eviction',
  'Asks a pod to leave its node gracefully.',
  {
    ...typeFields,
    metadata: metadataField,
    deleteOptions: pointer(2, deleteOptionsSchema, 'How the pod is deleted.'),
  },
)

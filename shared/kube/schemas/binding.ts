/** The assignment of a pod to a node: the body of pods/binding. */
import { object, required } from '../schema.ts'
import { objectReferenceSchema } from './event.ts'
import { metadataField, typeFields } from './meta.ts'

export const bindingSchema = object('io.k8s.api.core.v1.Binding', 'Assigns a pod to a node.', {
  ...typeFields,
  metadata: metadataField,
  target: required(2, objectReferenceSchema, 'The node.'),
})

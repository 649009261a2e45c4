/** A request to evict a pod: the body of pods/eviction. */
import { object, pointer } from '../schema.ts'
import { deleteOptionsSchema } from './delete-options.ts'
import { metadataField, typeFields } from './meta.ts'

export const evictionSchema = object(
  'io.k8s.api.policy.v1.Eviction',
  'Asks a pod to leave its node gracefully.',
  {
    ...typeFields,
    metadata: metadataField,
    deleteOptions: pointer(2, deleteOptionsSchema, 'How the pod is deleted.'),
  },
)

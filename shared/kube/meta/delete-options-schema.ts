/** The body of a DELETE. */
import { boolean, field, int64, listOf, object, pointer, string } from '../schema.ts'
import { typeFields } from './schema.ts'

const META = 'io.k8s.apimachinery.pkg.apis.meta.v1'

const preconditionsSchema = object(
  `${META}.Preconditions`,
  'What must hold, or nothing is deleted.',
  {
    uid: pointer(1, string, 'The uid the object must have.'),
    resourceVersion: pointer(2, string, 'The version the object must have.'),
  },
)

export const deleteOptionsSchema = object(`${META}.DeleteOptions`, 'How to delete an object.', {
  ...typeFields,
  gracePeriodSeconds: pointer(1, int64, 'How long the object has to end by itself.'),
  preconditions: pointer(2, preconditionsSchema, 'What must hold, or nothing is deleted.'),
  orphanDependents: pointer(3, boolean, 'Obsolete; use propagationPolicy.'),
  propagationPolicy: pointer(4, string, 'Background, Foreground or Orphan.'),
  dryRun: field(5, listOf(string), 'All: check everything and delete nothing.'),
  ignoreStoreReadErrorWithClusterBreakingPotential: pointer(
    6,
    boolean,
    'Delete what cannot be read. Not used here.',
  ),
})

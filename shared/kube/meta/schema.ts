/** What every object carries, whatever its kind. */
import {
  any,
  boolean,
  field,
  int64,
  listBy,
  listOf,
  mapOf,
  object,
  pointer,
  required,
  setOf,
  string,
  time,
  unnumbered,
} from '../schema.ts'

const META = 'io.k8s.apimachinery.pkg.apis.meta.v1'

/** In protobuf the envelope says these two. */
export const typeFields = {
  apiVersion: unnumbered(string, 'Group and version this object is written in, such as v1.'),
  kind: unnumbered(string, 'What the object is, such as Node.'),
}

const ownerReferenceSchema = object(
  `${META}.OwnerReference`,
  'Names the object this one belongs to. When the owner goes, this one goes too.',
  {
    kind: required(1, string, 'Kind of the owner.'),
    name: required(3, string, 'Name of the owner.'),
    uid: required(4, string, 'Uid of the owner, which tells it from a successor of the same name.'),
    apiVersion: required(5, string, 'Group and version of the owner.'),
    controller: pointer(6, boolean, 'Whether this owner manages the object. At most one does.'),
    blockOwnerDeletion: pointer(
      7,
      boolean,
      'Whether a foreground deletion of the owner waits for this object.',
    ),
  },
)

const managedFieldsEntrySchema = object(
  `${META}.ManagedFieldsEntry`,
  'Which fields one writer manages. Accepted from clients and not kept by this service.',
  {
    manager: field(1, string, 'The writer.'),
    operation: field(2, string, 'Apply or Update.'),
    apiVersion: field(3, string, 'Version the fields are written in.'),
    time: pointer(4, time, 'When the entry last changed.'),
    fieldsType: field(6, string, 'Format of the fields: FieldsV1.'),
    fieldsV1: pointer(7, any, 'The set of fields.'),
    subresource: field(8, string, 'Subresource the write went to, empty for the object itself.'),
  },
)

export const objectMetaSchema = object(
  `${META}.ObjectMeta`,
  'Names, labels and history of an object.',
  {
    name: field(1, string, 'Unique within its kind and namespace; cannot change.'),
    generateName: field(2, string, 'Prefix for a name the server makes up when none is given.'),
    namespace: field(3, string, 'Space in which the name is unique; empty for nodes.'),
    selfLink: field(4, string, 'Obsolete; ignored.'),
    uid: field(5, string, 'Unique in time and space; set by the server at creation.'),
    resourceVersion: field(
      6,
      string,
      'Changes with every write. Send it back to write only if no other write came in between.',
    ),
    generation: field(7, int64, 'Counts changes of the desired state.'),
    creationTimestamp: field(8, time, 'When the server created the object.'),
    deletionTimestamp: pointer(9, time, 'When the object is to be gone; set by a deletion.'),
    deletionGracePeriodSeconds: pointer(10, int64, 'How long a deletion waits before it is final.'),
    labels: field(11, mapOf(string), 'Keys and values that selectors match.'),
    annotations: field(12, mapOf(string), 'Keys and values that selectors do not see.'),
    ownerReferences: field(
      13,
      listBy('uid', ownerReferenceSchema),
      'The objects this one belongs to. When all are gone it is removed.',
    ),
    finalizers: field(14, setOf(string), 'Who must let go before a deletion is final.'),
    managedFields: field(17, listOf(managedFieldsEntrySchema), 'Who manages which field.'),
  },
)

export const metadataField = field(1, objectMetaSchema, 'Name, labels and history of the object.')

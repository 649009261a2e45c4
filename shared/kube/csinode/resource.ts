/**
 * CSINodes: which storage drivers run on a node. A kubelet creates one for its Node and is not Ready
 * without it; it goes with the Node.
 */

import { ageColumn, integerColumn, nameColumn } from '../columns.ts'
import {
  atLeastZero,
  duplicateValue,
  type FieldErrors,
  invalidValue,
  invalidValues,
  requiredValue,
  tooLong,
} from '../field-errors.ts'
import { deepEqual } from '../json.ts'
import { byteLength, qualifiedName, subdomainName } from '../meta/names.ts'
import { metadataField, typeFields } from '../meta/schema.ts'
import {
  type MetadataRules,
  validateMetadata,
  validateMetadataUpdate,
  validateVersionGiven,
} from '../meta/validation.ts'
import type { KubeObject } from '../objects.ts'
import { plainResource } from '../plain-resource.ts'
import type { Resource } from '../resource.ts'
import { field, int32, listBy, listOf, object, pointer, required, string } from '../schema.ts'

interface CsiNodeDriver {
  readonly name?: string
  readonly nodeID?: string
  readonly topologyKeys?: readonly string[]
  readonly allocatable?: { readonly count?: number }
}

interface CsiNode extends KubeObject {
  readonly spec?: { readonly drivers?: readonly CsiNodeDriver[] | null }
}

const STORAGE = 'io.k8s.api.storage.v1'

const resourcesSchema = object(`${STORAGE}.VolumeNodeResources`, 'What a driver can take.', {
  count: pointer(1, int32, 'How many volumes at once.'),
})

const driverSchema = object(`${STORAGE}.CSINodeDriver`, 'One storage driver on the node.', {
  name: required(1, string, 'Its name.'),
  nodeID: required(2, string, 'What the driver calls the node.'),
  topologyKeys: field(3, listOf(string), 'Labels that say where its volumes can be reached.'),
  allocatable: pointer(4, resourcesSchema, 'What it can take.'),
})

const csiNodeSchema = object(
  `${STORAGE}.CSINode`,
  'The storage drivers of a node, under the name of the node. Kept for the kubelet; not used here.',
  {
    ...typeFields,
    metadata: metadataField,
    spec: required(
      2,
      object(`${STORAGE}.CSINodeSpec`, 'The drivers.', {
        drivers: required(1, listBy('name', driverSchema), 'The drivers on the node.'),
      }),
      'The drivers.',
    ),
  },
)

export const csiNodes: Resource<CsiNode> = {
  ...plainResource<CsiNode>(),
  group: 'storage.k8s.io',
  plural: 'csinodes',
  singular: 'csinode',
  kind: 'CSINode',
  schema: csiNodeSchema,
  columns: [
    nameColumn,
    integerColumn<CsiNode>(
      'Drivers',
      'How many CSI drivers are registered on the node.',
      (node) => driversOf(node).length,
    ),
    ageColumn,
  ],
  // Shown as null when there are none, as Go writes it.
  withDefaults: (node) => ({
    ...node,
    spec: { ...node.spec, drivers: node.spec?.drivers ?? null },
  }),
  validateCreate: validateCsiNode,
  validateUpdate: (node, old) => [
    ...validateVersionGiven(node.metadata),
    ...validateMetadataUpdate(node.metadata, old.metadata),
    ...validateDrivers(driversOf(node)),
    ...validateUnchanged(driversOf(node), driversOf(old)),
  ],
}

const rules: MetadataRules = { namespaced: false, name: subdomainName, standardFinalizers: false }

const driversOf = ({ spec }: CsiNode): readonly CsiNodeDriver[] => spec?.drivers ?? []

function validateCsiNode(node: CsiNode): FieldErrors {
  return [...validateMetadata(node.metadata, rules), ...validateDrivers(driversOf(node))]
}

function validateDrivers(drivers: readonly CsiNodeDriver[]): FieldErrors {
  const names = drivers.map(({ name }) => name)
  return drivers.flatMap((driver, i) => {
    const path = `spec.drivers[${i}]`
    const repeated = names.indexOf(driver.name) !== i
    return [
      ...validateDriverName(driver.name, `${path}.name`),
      ...validateNodeId(driver.nodeID, `${path}.nodeID`),
      ...atLeastZero(`${path}.allocatable.count`, driver.allocatable?.count),
      ...(repeated ? [duplicateValue(`${path}.name`, driver.name)] : []),
      ...validateTopology(driver.topologyKeys ?? [], path),
    ]
  })
}

const MAX_DRIVER_BYTES = 63
const MAX_NODE_ID_BYTES = 256

function validateDriverName(name: string | undefined, path: string): FieldErrors {
  if (!name) return [requiredValue(path)]
  return [
    ...(byteLength(name) > MAX_DRIVER_BYTES ? [tooLong(path, MAX_DRIVER_BYTES)] : []),
    ...invalidValues(path, name, subdomainName(name.toLowerCase())),
  ]
}

function validateNodeId(nodeId: string | undefined, path: string): FieldErrors {
  if (!nodeId) return [requiredValue(path)]
  if (byteLength(nodeId) <= MAX_NODE_ID_BYTES) return []
  return [invalidValue(path, nodeId, `must be ${MAX_NODE_ID_BYTES} characters or less`)]
}

const validateTopology = (keys: readonly string[], path: string): FieldErrors =>
  keys.flatMap((key, i) => [
    ...(key === '' ? [requiredValue(path)] : []),
    ...(keys.indexOf(key) === i ? [] : [duplicateValue(path, key)]),
    ...invalidValues(path, key, qualifiedName(key)),
  ])

/** A driver can come, go, and change how much it takes; to change otherwise it must go first. */
function validateUnchanged(
  drivers: readonly CsiNodeDriver[],
  before: readonly CsiNodeDriver[],
): FieldErrors {
  return drivers.flatMap((driver) => {
    const old = before.find(({ name }) => name === driver.name)
    const same = (one: CsiNodeDriver) => ({ ...one, allocatable: undefined })
    if (!old || deepEqual(same(driver), same(old))) return []
    return [invalidValue('spec.drivers', driver, 'field is immutable')]
  })
}

/** RuntimeClasses: how containers can be run. A kubelet lists and watches them. */

import { ageColumn, nameColumn, textColumn } from '../columns.ts'
import {
  duplicateValue,
  type FieldErrors,
  invalidValue,
  invalidValues,
  requiredValue,
} from '../field-errors.ts'
import { labelName, subdomainName } from '../meta/names.ts'
import { metadataField, typeFields } from '../meta/schema.ts'
import {
  type MetadataRules,
  validateLabels,
  validateMetadata,
  validateMetadataUpdate,
  validateVersionGiven,
} from '../meta/validation.ts'
import type { KubeObject, Toleration } from '../objects.ts'
import { plainResource } from '../plain-resource.ts'
import { tolerationSchema } from '../pod/schema.ts'
import { validateTolerations } from '../pod/toleration-validation.ts'
import type { Resource } from '../resource.ts'
import { field, listOf, mapOf, object, pointer, quantity, required, string } from '../schema.ts'

interface RuntimeClass extends KubeObject {
  readonly handler?: string
  readonly overhead?: { readonly podFixed?: Readonly<Record<string, string>> }
  readonly scheduling?: {
    readonly nodeSelector?: Readonly<Record<string, string>>
    readonly tolerations?: readonly Toleration[]
  }
}

const NODE = 'io.k8s.api.node.v1'

const runtimeClassSchema = object(
  `${NODE}.RuntimeClass`,
  'A way to run containers. Kept for kubelets; not used here.',
  {
    ...typeFields,
    metadata: metadataField,
    handler: required(2, string, 'What the container runtime calls it.'),
    overhead: pointer(
      3,
      object(`${NODE}.Overhead`, 'What running a pod this way costs.', {
        podFixed: field(1, mapOf(quantity), 'By resource.'),
      }),
      'What running a pod this way costs.',
    ),
    scheduling: pointer(
      4,
      object(`${NODE}.Scheduling`, 'Where it can run.', {
        nodeSelector: field(1, mapOf(string), 'Labels that a node must have.'),
        tolerations: field(2, listOf(tolerationSchema), 'Taints that its pods tolerate.'),
      }),
      'Where it can run.',
    ),
  },
)

export const runtimeClasses: Resource<RuntimeClass> = {
  ...plainResource<RuntimeClass>(),
  group: 'node.k8s.io',
  plural: 'runtimeclasses',
  singular: 'runtimeclass',
  kind: 'RuntimeClass',
  schema: runtimeClassSchema,
  columns: [
    nameColumn,
    textColumn<RuntimeClass>('Handler', 'What the runtime calls it.', (one) => one.handler ?? ''),
    ageColumn,
  ],
  validateCreate: (one) => [
    ...validateMetadata(one.metadata, rules),
    ...(one.handler
      ? invalidValues('handler', one.handler, labelName(one.handler))
      : [requiredValue('handler')]),
    ...validateScheduling(one),
  ],
  validateUpdate: (one, old) => [
    ...validateVersionGiven(one.metadata),
    ...validateMetadataUpdate(one.metadata, old.metadata),
    ...(one.handler === old.handler
      ? []
      : [invalidValue('handler', one.handler, 'field is immutable')]),
  ],
}

const rules: MetadataRules = { namespaced: false, name: subdomainName, standardFinalizers: false }

function validateScheduling({ scheduling }: RuntimeClass): FieldErrors {
  const { nodeSelector = {}, tolerations = [] } = scheduling ?? {}
  const path = 'scheduling.tolerations'
  const keys = tolerations.map(({ key, operator, value, effect }) =>
    JSON.stringify([key ?? '', operator ?? '', value ?? '', effect ?? '']),
  )
  return [
    ...validateLabels(nodeSelector, 'scheduling.nodeSelector'),
    ...validateTolerations(tolerations, path),
    ...tolerations.flatMap((one, i) =>
      keys.indexOf(keys[i]!) === i ? [] : [duplicateValue(`${path}[${i}]`, one)],
    ),
  ]
}

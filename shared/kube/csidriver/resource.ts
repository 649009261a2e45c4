/** CSIDrivers: how storage drivers want to be treated. A kubelet lists and watches them. */

import { ageColumn, booleanColumn, nameColumn, textColumn } from '../columns.ts'
import {
  duplicateValue,
  type FieldErrors,
  invalidValue,
  unsupportedValue,
} from '../field-errors.ts'
import { deepEqual } from '../json.ts'
import { subdomainName } from '../meta/names.ts'
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
import { boolean, field, int64, listOf, object, pointer, required, string } from '../schema.ts'

interface CsiDriverSpec {
  readonly attachRequired?: boolean
  readonly podInfoOnMount?: boolean
  readonly volumeLifecycleModes?: readonly string[]
  readonly storageCapacity?: boolean
  readonly fsGroupPolicy?: string
  readonly tokenRequests?: readonly {
    readonly audience?: string
    readonly expirationSeconds?: number
  }[]
  readonly requiresRepublish?: boolean
  readonly seLinuxMount?: boolean
  readonly nodeAllocatableUpdatePeriodSeconds?: number
  readonly serviceAccountTokenInSecrets?: boolean
}

interface CsiDriver extends KubeObject {
  readonly spec?: CsiDriverSpec
}

const STORAGE = 'io.k8s.api.storage.v1'

const tokenRequestSchema = object(`${STORAGE}.TokenRequest`, 'A token that the driver wants.', {
  audience: required(1, string, 'Whom the token is for.'),
  expirationSeconds: pointer(2, int64, 'How long it lives.'),
})

const specSchema = object(`${STORAGE}.CSIDriverSpec`, 'How the driver wants to be treated.', {
  attachRequired: pointer(1, boolean, 'Whether volumes are attached before they are mounted.'),
  podInfoOnMount: pointer(2, boolean, 'Whether the driver is told about the pod.'),
  volumeLifecycleModes: field(3, listOf(string), 'Persistent, Ephemeral or both.'),
  storageCapacity: pointer(4, boolean, 'Whether it reports how much room there is.'),
  fsGroupPolicy: pointer(5, string, 'Whether files are given to the group of the pod.'),
  tokenRequests: field(6, listOf(tokenRequestSchema), 'Tokens of service accounts it wants.'),
  requiresRepublish: pointer(7, boolean, 'Whether it is called again while a volume is mounted.'),
  seLinuxMount: pointer(8, boolean, 'Whether volumes can be mounted with a context of SELinux.'),
  nodeAllocatableUpdatePeriodSeconds: pointer(9, int64, 'How often its limit is read anew.'),
  serviceAccountTokenInSecrets: pointer(10, boolean, 'Whether tokens are sent with the secrets.'),
})

const csiDriverSchema = object(
  `${STORAGE}.CSIDriver`,
  'A storage driver that is installed. Kept for kubelets; not used here.',
  { ...typeFields, metadata: metadataField, spec: required(2, specSchema, 'The driver.') },
)

const flag = (
  name: string,
  description: string,
  of: (spec: CsiDriverSpec) => boolean | undefined,
) => booleanColumn<CsiDriver>(name, description, ({ spec }) => of(spec ?? {}) ?? false)

export const csiDrivers: Resource<CsiDriver> = {
  ...plainResource<CsiDriver>(),
  group: 'storage.k8s.io',
  plural: 'csidrivers',
  singular: 'csidriver',
  kind: 'CSIDriver',
  schema: csiDriverSchema,
  columns: [
    nameColumn,
    flag('AttachRequired', 'Whether volumes are attached first.', (spec) => spec.attachRequired),
    flag('PodInfoOnMount', 'Whether it is told about pods.', (spec) => spec.podInfoOnMount),
    flag('StorageCapacity', 'Whether it reports its room.', (spec) => spec.storageCapacity),
    textColumn<CsiDriver>('TokenRequests', 'Tokens it wants.', ({ spec }) =>
      spec?.tokenRequests
        ? spec.tokenRequests.map(({ audience = '' }) => audience).join(',')
        : '<unset>',
    ),
    flag('RequiresRepublish', 'Whether it is called again.', (spec) => spec.requiresRepublish),
    textColumn<CsiDriver>(
      'Modes',
      'Which volumes it serves.',
      ({ spec }) => spec?.volumeLifecycleModes?.join(',') || '<none>',
    ),
    ageColumn,
  ],
  withDefaults: (driver) => ({ ...driver, spec: withDefaults(driver.spec ?? {}) }),
  validateCreate: (driver) => [
    ...validateMetadata(driver.metadata, rules),
    ...validateSpec(driver.spec ?? {}),
  ],
  validateUpdate: (driver, old) => [
    ...validateVersionGiven(driver.metadata),
    ...validateMetadataUpdate(driver.metadata, old.metadata),
    ...validateSpec(driver.spec ?? {}),
    ...validateUnchanged(driver.spec ?? {}, old.spec ?? {}),
  ],
}

function withDefaults(spec: CsiDriverSpec): CsiDriverSpec {
  const { volumeLifecycleModes: modes } = spec
  return {
    attachRequired: true,
    podInfoOnMount: false,
    storageCapacity: false,
    fsGroupPolicy: 'ReadWriteOnceWithFSType',
    requiresRepublish: false,
    seLinuxMount: false,
    ...spec,
    volumeLifecycleModes: modes?.length ? modes : ['Persistent'],
  }
}

const rules: MetadataRules = { namespaced: false, name: subdomainName, standardFinalizers: false }

const POLICIES = ['File', 'None', 'ReadWriteOnceWithFSType']
const MODES = ['Persistent', 'Ephemeral']
const MIN_UPDATE_SECONDS = 10
const MIN_TOKEN_SECONDS = 600
const MAX_TOKEN_SECONDS = 2 ** 32

function validateSpec(spec: CsiDriverSpec): FieldErrors {
  const { fsGroupPolicy: policy, nodeAllocatableUpdatePeriodSeconds: period } = spec
  const { volumeLifecycleModes: modes = [], tokenRequests = [] } = spec
  const why = 'must be greater than or equal to 10 seconds'
  const secrets = 'spec.serviceAccountTokenInSecrets'
  const unrequested = 'serviceAccountTokenInSecrets is set but no tokenRequests are specified'
  return [
    ...(policy === undefined || POLICIES.includes(policy)
      ? []
      : [unsupportedValue('spec.fsGroupPolicy', policy, POLICIES)]),
    ...validateTokens(tokenRequests),
    ...modes
      .filter((mode) => !MODES.includes(mode))
      .map((mode) => unsupportedValue('spec.volumeLifecycleModes', mode, MODES)),
    ...(period !== undefined && period < MIN_UPDATE_SECONDS
      ? [invalidValue('spec.nodeAllocatableUpdatePeriodSeconds', period, why)]
      : []),
    ...(spec.serviceAccountTokenInSecrets !== undefined && tokenRequests.length === 0
      ? [invalidValue(secrets, spec.serviceAccountTokenInSecrets, unrequested)]
      : []),
  ]
}

function validateTokens(requests: NonNullable<CsiDriverSpec['tokenRequests']>): FieldErrors {
  const audiences = requests.map(({ audience = '' }) => audience)
  return requests.flatMap(({ audience = '', expirationSeconds: seconds }, i) => {
    const path = `spec.tokenRequests[${i}]`
    if (audiences.indexOf(audience) !== i) return [duplicateValue(`${path}.audience`, audience)]
    const field = `${path}.expirationSeconds`
    if (seconds === undefined) return []
    if (seconds < MIN_TOKEN_SECONDS)
      return [invalidValue(field, seconds, 'may not specify a duration less than 10 minutes')]
    if (seconds > MAX_TOKEN_SECONDS)
      return [invalidValue(field, seconds, 'may not specify a duration larger than 2^32 seconds')]
    return []
  })
}

const FIXED = ['attachRequired', 'volumeLifecycleModes'] as const

/** The first path is Kubernetes' own slip of the pen. */
const validateUnchanged = (spec: CsiDriverSpec, old: CsiDriverSpec): FieldErrors =>
  FIXED.filter((member) => !deepEqual(spec[member], old[member])).map((member) =>
    invalidValue(
      `spec.${member === 'attachRequired' ? 'attachedRequired' : member}`,
      spec[member],
      'field is immutable',
    ),
  )

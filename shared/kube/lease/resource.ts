/**
 * Leases: who holds what, and until when. The hot resource: nothing here costs more than a look.
 * Times, holders and their order are not judged here: the store guards them.
 */

import { ageColumn, nameColumn, textColumn } from '../columns.ts'
import {
  aboveZero,
  atLeastZero,
  type FieldErrors,
  forbiddenField,
  invalidValue,
  invalidValues,
  tooLong,
  unsupportedValue,
} from '../field-errors.ts'
import {
  metadataWarnings,
  namespacedFields,
  prepareMetadataForCreate,
  prepareMetadataForUpdate,
} from '../meta/metadata.ts'
import { byteLength, qualifiedName, subdomainName } from '../meta/names.ts'
import { metadataField, typeFields } from '../meta/schema.ts'
import {
  type MetadataRules,
  validateMetadata,
  validateMetadataUpdate,
  validateVersionGiven,
} from '../meta/validation.ts'
import type { Lease, LeaseSpec, ObjectMeta } from '../objects.ts'
import { EVERY_VERB, type Resource } from '../resource.ts'
import { field, int32, microTime, object, pointer, string } from '../schema.ts'

const COORDINATION = 'io.k8s.api.coordination.v1'

const leaseSpecSchema = object(
  `${COORDINATION}.LeaseSpec`,
  'Who holds the lease, for how long, and when it was last renewed.',
  {
    holderIdentity: pointer(1, string, 'Who holds the lease. Empty means it has been released.'),
    leaseDurationSeconds: pointer(
      2,
      int32,
      'How long others wait after the last renewal before they may take the lease.',
    ),
    acquireTime: pointer(3, microTime, 'When the holder took the lease, by its own clock.'),
    renewTime: pointer(4, microTime, 'When the holder last renewed it, by its own clock.'),
    leaseTransitions: pointer(
      5,
      int32,
      'Counts acquisitions. The server sets it; it never repeats, so it can serve as a fencing token.',
    ),
    strategy: pointer(6, string, 'How a coordinator would choose a holder. Not used here.'),
    preferredHolder: pointer(7, string, 'Whom the holder should yield to. Not used here.'),
  },
)

const leaseSchema = object(
  `${COORDINATION}.Lease`,
  'A claim that its holder renews while it lives: the heartbeat of a node, or the seat of a leader.',
  {
    ...typeFields,
    metadata: metadataField,
    spec: field(2, leaseSpecSchema, 'The claim itself.'),
  },
)

export const leases: Resource<Lease> = {
  group: 'coordination.k8s.io',
  version: 'v1',
  plural: 'leases',
  singular: 'lease',
  kind: 'Lease',
  shortNames: [],
  categories: [],
  namespaced: true,
  verbs: EVERY_VERB,
  subresources: [],
  schema: leaseSchema,
  columns: [
    nameColumn,
    textColumn<Lease>(
      'Holder',
      'Identity of the current holder of the lease.',
      (lease) => lease.spec?.holderIdentity ?? '',
    ),
    ageColumn,
  ],
  selectable: namespacedFields,
  createOnUpdate: true,
  unconditionalUpdate: false,

  withDefaults: (lease) => (lease.spec ? lease : { ...lease, spec: {} }),
  prepareForCreate: (lease) => ({
    ...lease,
    metadata: prepareMetadataForCreate(lease.metadata),
    spec: withoutCoordination(lease.spec ?? {}, {}),
  }),
  prepareForUpdate: (lease, old) => ({
    ...lease,
    metadata: prepareMetadataForUpdate(lease.metadata, old.metadata),
    spec: withoutCoordination(lease.spec ?? {}, old.spec ?? {}),
  }),
  validateCreate: (lease) => [
    ...validateMetadata(lease.metadata, rules),
    ...validateMetadataSize(lease.metadata),
    ...validateLeaseSpec(lease.spec ?? {}),
    ...validateFirstTransitions(lease.spec ?? {}),
  ],
  validateUpdate: (lease, old) => [
    ...validateVersionGiven(lease.metadata),
    ...validateMetadataUpdate(lease.metadata, old.metadata),
    ...validateMetadataSize(lease.metadata),
    ...validateLeaseSpec(lease.spec ?? {}),
  ],
  warnings: metadataWarnings,
}

const rules: MetadataRules = { namespaced: true, name: subdomainName, standardFinalizers: false }

/**
 * Coordinated election is off, as it is by default in Kubernetes: what is not stored yet never gets
 * in.
 */
function withoutCoordination(spec: LeaseSpec, old: LeaseSpec): LeaseSpec {
  if (spec.strategy === undefined && spec.preferredHolder === undefined) return spec
  const { strategy, preferredHolder, ...rest } = spec
  return {
    ...rest,
    ...(strategy !== undefined && old.strategy !== undefined && { strategy }),
    ...(preferredHolder !== undefined && old.preferredHolder !== undefined && { preferredHolder }),
  }
}

/**
 * A new lease may go on counting from where another store was. The rest of int32 is for acquisitions
 * to come: past it Go clients could read neither the lease nor any list it is in.
 */
const MAX_FIRST_TRANSITIONS = 2 ** 30

function validateFirstTransitions({ leaseTransitions = 0 }: LeaseSpec): FieldErrors {
  if (leaseTransitions <= MAX_FIRST_TRANSITIONS) return []
  const why = `must be at most ${MAX_FIRST_TRANSITIONS} in a new lease`
  return [invalidValue('spec.leaseTransitions', leaseTransitions, why)]
}

/** A node name and a hash, or a host name and a UUID, are under 300. */
export const MAX_HOLDER_BYTES = 1_024
/**
 * The monitor scans every lease in every tick and pays by size; a beat's item is under 1 KB. Of each
 * of the parts that a writer may fill.
 */
const MAX_PART_BYTES = 8 * 1_024

function validateMetadataSize(metadata: ObjectMeta): FieldErrors {
  const { labels, annotations, ownerReferences, finalizers } = metadata
  return [
    ...tooManyBytes('metadata.labels', labels && bytesOfMembers(labels)),
    ...tooManyBytes('metadata.annotations', annotations && bytesOfMembers(annotations)),
    ...tooManyBytes('metadata.ownerReferences', ownerReferences && bytesOfText(ownerReferences)),
    ...tooManyBytes('metadata.finalizers', finalizers && bytesOfText(finalizers)),
  ]
}

const tooManyBytes = (field: string, bytes = 0): FieldErrors =>
  bytes > MAX_PART_BYTES ? [tooLong(field, MAX_PART_BYTES)] : []

function bytesOfMembers(members: Readonly<Record<string, string>>): number {
  let bytes = 0
  for (const key of Object.keys(members)) bytes += byteLength(key) + byteLength(members[key]!)
  return bytes
}

const bytesOfText = (list: readonly unknown[]): number => byteLength(JSON.stringify(list))

function validateHolder({ holderIdentity = '' }: LeaseSpec): FieldErrors {
  if (byteLength(holderIdentity) <= MAX_HOLDER_BYTES) return []
  return [tooLong('spec.holderIdentity', MAX_HOLDER_BYTES)]
}

function validateLeaseSpec(spec: LeaseSpec): FieldErrors {
  return [
    ...validateHolder(spec),
    ...aboveZero('spec.leaseDurationSeconds', spec.leaseDurationSeconds),
    ...atLeastZero('spec.leaseTransitions', spec.leaseTransitions),
    ...validateStrategy(spec.strategy),
    ...validatePreferredHolder(spec),
  ]
}

const KNOWN_STRATEGY = 'OldestEmulationVersion'

/** The doubled path is Kubernetes' own slip; clients that match on it exist. */
function validateStrategy(strategy: string | undefined): FieldErrors {
  if (strategy === undefined || strategy === KNOWN_STRATEGY) return []
  const field = 'spec.strategy.strategy'
  if (!strategy.includes('/')) return [unsupportedValue(field, strategy, [KNOWN_STRATEGY])]
  return invalidValues(field, strategy, qualifiedName(strategy))
}

function validatePreferredHolder({ preferredHolder, strategy }: LeaseSpec): FieldErrors {
  if (!preferredHolder || strategy) return []
  const why = 'may only be specified if `strategy` is defined'
  return [forbiddenField('spec.preferredHolder', why)]
}

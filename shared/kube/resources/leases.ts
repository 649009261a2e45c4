/**
 * Leases: who holds what, and until when. The hot resource: nothing here costs more than a look.
 */
import { keepMetadata, metadataWarnings, namespacedFields, tidyMetadata } from '../metadata.ts'
import type { Lease, LeaseSpec } from '../objects.ts'
import { EVERY_VERB, type Resource } from '../resource.ts'
import { leaseSchema } from '../schemas/lease.ts'
import { validateLease, validateLeaseUpdate } from '../validation/lease.ts'
import { ageColumn, nameColumn, textColumn } from './columns.ts'

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
    metadata: tidyMetadata(lease.metadata),
    spec: withoutCoordination(lease.spec ?? {}, {}),
  }),
  prepareForUpdate: (lease, old) => ({
    ...lease,
    metadata: keepMetadata(lease.metadata, old.metadata),
    spec: withoutCoordination(lease.spec ?? {}, old.spec ?? {}),
  }),
  validateCreate: validateLease,
  validateUpdate: validateLeaseUpdate,
  warnings: metadataWarnings,
}

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

/**
 * Is this lease well formed? Times, holders and their order are nobody's business here: the store
 * guards them.
 */
import type { Lease, LeaseSpec } from '../objects.ts'
import {
  aboveZero,
  atLeastZero,
  complaints,
  type FieldErrors,
  forbiddenField,
  notSupported,
} from './field-errors.ts'
import {
  type MetadataRules,
  validateMetadata,
  validateMetadataUpdate,
  validateVersionGiven,
} from './metadata.ts'
import { qualifiedName, subdomainName } from './names.ts'

const rules: MetadataRules = { namespaced: true, name: subdomainName, standardFinalizers: false }

export const validateLease = (lease: Lease): FieldErrors => [
  ...validateMetadata(lease.metadata, rules),
  ...validateLeaseSpec(lease.spec ?? {}),
]

export const validateLeaseUpdate = (lease: Lease, old: Lease): FieldErrors => [
  ...validateVersionGiven(lease.metadata),
  ...validateMetadataUpdate(lease.metadata, old.metadata),
  ...validateLeaseSpec(lease.spec ?? {}),
]

function validateLeaseSpec(spec: LeaseSpec): FieldErrors {
  return [
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
  if (!strategy.includes('/')) return [notSupported(field, strategy, [KNOWN_STRATEGY])]
  return complaints(field, strategy, qualifiedName(strategy))
}

function validatePreferredHolder({ preferredHolder, strategy }: LeaseSpec): FieldErrors {
  if (!preferredHolder || strategy) return []
  const why = 'may only be specified if `strategy` is defined'
  return [forbiddenField('spec.preferredHolder', why)]
}

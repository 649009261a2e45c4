/**
 * May this node be stored? Three sets of checks, as in Kubernetes: creation, the main path (those
 * of creation and those of every update), and the status path (those of every update only). So one
 * path may accept what another refuses.
 */

import { parseCidr, validateCidr } from '../cidr.ts'
import {
  aboveZero,
  duplicateValue,
  type FieldErrors,
  forbiddenField,
  internalError,
  invalidValue,
  withoutRepeats,
} from '../field-errors.ts'
import { byteLength, qualifiedName, subdomainName } from '../meta/names.ts'
import {
  type MetadataRules,
  validateCoreMetadataUpdate,
  validateMetadata,
} from '../meta/validation.ts'
import type { Node, NodeAddress, NodeSpec } from '../objects.ts'
import { isNegative, isWhole, parseQuantity } from '../quantity.ts'
import { validateTaints } from './taint-validation.ts'

const rules: MetadataRules = { namespaced: false, name: subdomainName, standardFinalizers: true }

export const validateNode = (node: Node): FieldErrors => [
  ...validateMetadata(node.metadata, rules),
  ...validateEveryWrite(node),
  // Kubernetes reports the swap under metadata; only this path looks at it.
  ...aboveZero('metadata.nodeSwapStatus.capacity', node.status?.nodeInfo?.swap?.capacity),
  ...validatePodCidrs(node.spec?.podCIDRs ?? []),
]

export const validateNodeUpdate = (node: Node, old: Node): FieldErrors =>
  withoutRepeats([...validateNode(node), ...validateNodeStatusUpdate(node, old)])

export const validateNodeStatusUpdate = (node: Node, old: Node): FieldErrors => [
  ...validateCoreMetadataUpdate(node.metadata, old.metadata),
  ...validateEveryWrite(node),
  ...validateAddresses(node.status?.addresses ?? []),
  ...validateSpecChange(node.spec ?? {}, old.spec ?? {}),
]

function validateEveryWrite({ spec, status }: Node): FieldErrors {
  return [
    ...validateTaints(spec?.taints ?? []),
    ...validateAmounts(status?.capacity ?? {}, 'status.capacity'),
    ...validateAmounts(status?.allocatable ?? {}, 'status.allocatable'),
    ...validateDeclaredFeatures(status?.declaredFeatures ?? []),
  ]
}

function validatePodCidrs(cidrs: readonly string[]): FieldErrors {
  const field = 'spec.podCIDRs'
  const each = cidrs.flatMap((cidr, i) => validateCidr(cidr, `${field}[${i}]`))
  if (cidrs.length < 2) return each
  const families = cidrs.map((cidr) => parseCidr(cidr)?.family)
  const unknown = families.includes(undefined)
  const broken = 'the IP family of an invalid CIDR is not known'
  const uncertain = unknown ? [internalError(field, broken)] : []
  if (!unknown && cidrs.length === 2 && families[0] !== families[1]) return each
  const why = 'may specify no more than one CIDR for each IP family'
  return [...each, ...uncertain, invalidValue(field, cidrs, why)]
}

function validateAmounts(amounts: Readonly<Record<string, string>>, field: string): FieldErrors {
  return Object.entries(amounts).flatMap(([resource, text]) => {
    const amount = parseQuantity(text)
    const path = `${field}.${resource}`
    // Decoding has refused what is no quantity, with 400; this is for callers that did not decode.
    if (!amount) return [invalidValue(path, text, 'must be a quantity')]
    const negative = isNegative(amount)
      ? [invalidValue(path, text, 'must be greater than or equal to 0')]
      : []
    const broken = isCounted(resource) && !isWhole(amount)
    return broken ? [...negative, invalidValue(path, text, 'must be an integer')] : negative
  })
}

/** In whole units: what quotas count, and vendors' resources, as there is no half GPU. */
function isCounted(resource: string): boolean {
  if (COUNTED.has(resource)) return true
  const vendors = resource.includes('/') && !resource.includes('kubernetes.io/')
  if (!vendors || resource.startsWith('requests.')) return false
  return qualifiedName(`requests.${resource}`).length === 0
}

const COUNTED: ReadonlySet<string> = new Set([
  ...['pods', 'services', 'replicationcontrollers', 'resourcequotas', 'secrets', 'configmaps'],
  ...['persistentvolumeclaims', 'services.nodeports', 'services.loadbalancers'],
])

const FEATURE = /^[A-Z][a-zA-Z0-9]*(\/[a-zA-Z][a-zA-Z0-9]*)*$/
const MAX_FEATURE_BYTES = 253

function validateDeclaredFeatures(features: readonly string[]): FieldErrors {
  return features.flatMap((feature, i) => {
    const field = `status.declaredFeatures[${i}]`
    return [...validateFeature(feature, field), ...validateOrder(feature, features[i - 1], field)]
  })
}

function validateFeature(feature: string, field: string): FieldErrors {
  if (byteLength(feature) > MAX_FEATURE_BYTES) {
    return [invalidValue(field, feature, `must be no more than ${MAX_FEATURE_BYTES} characters`)]
  }
  if (FEATURE.test(feature)) return []
  const why = 'must be segments of letters and digits joined by /, the first in UpperCamelCase'
  return [invalidValue(field, feature, why)]
}

function validateOrder(feature: string, previous: string | undefined, field: string): FieldErrors {
  if (feature === previous) return [duplicateValue(field, feature)]
  if (previous === undefined || previous < feature) return []
  return [invalidValue(field, feature, 'list must be sorted alphabetically')]
}

function validateAddresses(addresses: readonly NodeAddress[]): FieldErrors {
  const seen = new Set<string>()
  return addresses.flatMap((entry, i) => {
    const key = `${entry.type}\n${entry.address}`
    if (seen.has(key)) return [duplicateValue(`status.addresses[${i}]`, entry)]
    seen.add(key)
    return []
  })
}

function validateSpecChange(spec: NodeSpec, old: NodeSpec): FieldErrors {
  const errors = []
  const had = old.podCIDRs ?? []
  const has = spec.podCIDRs ?? []
  if (had.length > 0 && (had.length !== has.length || had.some((cidr, i) => cidr !== has[i]))) {
    const why = 'node updates may not change podCIDR except from "" to valid'
    errors.push(forbiddenField('spec.podCIDRs', why))
  }
  if (old.providerID && spec.providerID !== old.providerID) {
    const verb = spec.providerID ? 'modified' : 'cleared'
    const why = `field cannot be ${verb} once set`
    errors.push(invalidValue('spec.providerID', spec.providerID, why))
  }
  if ((spec.externalID ?? '') !== (old.externalID ?? '')) {
    errors.push(forbiddenField('spec.externalID', 'may not be updated'))
  }
  return errors
}

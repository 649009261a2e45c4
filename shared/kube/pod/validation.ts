/**
 * May this pod be stored? Kubernetes' rules for the parts this service acts on: where the pod runs,
 * how long it may take to end, what it tolerates, and that it names something to run. What only a
 * kubelet reads is kept as it came.
 */

import {
  aboveZero,
  atLeastZero,
  duplicateValue,
  type FieldErrors,
  forbiddenField,
  invalidValue,
  invalidValues,
  requiredValue,
  unsupportedValue,
} from '../field-errors.ts'
import { deepEqual } from '../json.ts'
import { labelName, subdomainName } from '../meta/names.ts'
import {
  type MetadataRules,
  validateCoreMetadataUpdate,
  validateMetadata,
} from '../meta/validation.ts'
import type { Pod, PodSpec } from '../objects.ts'
import { validateNoneRemoved, validateTolerations } from './toleration-validation.ts'

const rules: MetadataRules = { namespaced: true, name: subdomainName, standardFinalizers: true }

const RESTART_POLICIES: readonly string[] = ['Always', 'OnFailure', 'Never']
const DNS_POLICIES: readonly string[] = [
  'ClusterFirstWithHostNet',
  'ClusterFirst',
  'Default',
  'None',
]

export const validatePod = (pod: Pod): FieldErrors => [
  ...validateMetadata(pod.metadata, rules),
  ...validatePodSpec(pod.spec ?? {}),
]

function validatePodSpec(spec: PodSpec): FieldErrors {
  return [
    ...validateContainers(spec),
    ...validateChoice('spec.restartPolicy', spec.restartPolicy, RESTART_POLICIES),
    ...validateChoice('spec.dnsPolicy', spec.dnsPolicy, DNS_POLICIES),
    ...atLeastZero('spec.terminationGracePeriodSeconds', spec.terminationGracePeriodSeconds),
    ...aboveZero('spec.activeDeadlineSeconds', activeDeadline(spec)),
    ...validateNodeName(spec.nodeName),
    ...validateTolerations(spec.tolerations ?? [], 'spec.tolerations'),
  ]
}

const activeDeadline = (spec: PodSpec) => spec.activeDeadlineSeconds as number | undefined

const validateNodeName = (name: string | undefined): FieldErrors =>
  name ? invalidValues('spec.nodeName', name, subdomainName(name)) : []

function validateChoice(field: string, value: unknown, choices: readonly string[]): FieldErrors {
  if (!value) return [requiredValue(field)]
  return choices.includes(value as string) ? [] : [unsupportedValue(field, value, choices)]
}

type Containers = NonNullable<PodSpec['containers']>

const initContainers = (spec: PodSpec) => (spec.initContainers ?? []) as Containers

/** At least one, as in Kubernetes: clients of every language expect `containers` to be there. */
function validateContainers(spec: PodSpec): FieldErrors {
  const containers = spec.containers ?? []
  const none = containers.length === 0 ? [requiredValue('spec.containers')] : []
  const seen = new Set<string>()
  return [
    ...none,
    ...containers.flatMap((one, i) => validateContainer(one, `spec.containers[${i}]`, seen)),
    ...initContainers(spec).flatMap((one, i) =>
      validateContainer(one, `spec.initContainers[${i}]`, seen),
    ),
  ]
}

function validateContainer(
  { name, image }: Containers[number],
  field: string,
  seen: Set<string>,
): FieldErrors {
  const imageErrors = validateImage(image, `${field}.image`)
  if (!name) return [requiredValue(`${field}.name`), ...imageErrors]
  const repeated = seen.has(name) ? [duplicateValue(`${field}.name`, name)] : []
  seen.add(name)
  return [...invalidValues(`${field}.name`, name, labelName(name)), ...repeated, ...imageErrors]
}

function validateImage(image: string | undefined, field: string): FieldErrors {
  if (!image) return [requiredValue(field)]
  if (image === image.trim()) return []
  return [invalidValue(field, image, 'must not have leading or trailing whitespace')]
}

export function validatePodUpdate(pod: Pod, old: Pod): FieldErrors {
  const [spec, before] = [pod.spec ?? {}, old.spec ?? {}]
  const metadata = validateCoreMetadataUpdate(pod.metadata, old.metadata)
  const counts = validateCounts(spec, before)
  if (counts.length > 0) return [...metadata, ...counts]
  const tolerations = spec.tolerations ?? []
  return [
    ...metadata,
    ...validateContainers(spec),
    ...validateDeadline(activeDeadline(spec), activeDeadline(before)),
    ...validateNoneRemoved(tolerations, before.tolerations ?? [], 'spec.tolerations'),
    ...validateTolerations(tolerations, 'spec.tolerations'),
    ...validateFixedSpec(spec, before),
  ]
}

function validateCounts(spec: PodSpec, before: PodSpec): FieldErrors {
  const why = 'pod updates may not add or remove containers'
  const differs = (member: 'containers' | 'initContainers') =>
    ((spec[member] ?? []) as Containers).length !== ((before[member] ?? []) as Containers).length
  return (['containers', 'initContainers'] as const)
    .filter(differs)
    .map((member) => forbiddenField(`spec.${member}`, why))
}

/** A deadline may be set and brought forward, never put off or lifted. */
function validateDeadline(now: number | undefined, before: number | undefined): FieldErrors {
  const field = 'spec.activeDeadlineSeconds'
  if (now !== undefined && (before === undefined || now <= before)) return aboveZero(field, now)
  if (now === before) return []
  const why =
    now === undefined
      ? 'must not update from a positive integer to nil value'
      : 'must be less than or equal to previous value'
  return [invalidValue(field, now, why)]
}

const MAY_CHANGE =
  'pod updates may not change fields other than `spec.containers[*].image`,' +
  '`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,' +
  '`spec.tolerations` (only additions to existing tolerations),' +
  '`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)'

function validateFixedSpec(spec: PodSpec, before: PodSpec): FieldErrors {
  const [now, then] = [fixedPart(spec, before), fixedPart(before, before)]
  const members = new Set([...Object.keys(now), ...Object.keys(then)])
  const changed = [...members].filter((member) => !deepEqual(now[member], then[member]))
  if (changed.length === 0) return []
  return [forbiddenField('spec', `${MAY_CHANGE}; changed: ${changed.join(', ')}`)]
}

function fixedPart(spec: PodSpec, before: PodSpec): Readonly<Record<string, unknown>> {
  const { tolerations: _t, activeDeadlineSeconds: _a, ...rest } = spec
  const grace = spec.terminationGracePeriodSeconds
  const mended = grace === 1 && (before.terminationGracePeriodSeconds ?? 0) < 0
  return {
    ...rest,
    containers: withoutImages(spec.containers ?? []),
    initContainers: withoutImages(initContainers(spec)),
    terminationGracePeriodSeconds: mended ? before.terminationGracePeriodSeconds : grace,
  }
}

const withoutImages = (containers: Containers) => containers.map(({ image: _, ...rest }) => rest)

/** The one way a pod gets its node after creation, and only once. */
export const validateBinding = (pod: Pod, old: Pod): FieldErrors => [
  ...validateCoreMetadataUpdate(pod.metadata, old.metadata),
  ...validateNodeName(pod.spec?.nodeName),
  ...(old.spec?.nodeName && old.spec.nodeName !== pod.spec?.nodeName
    ? [forbiddenField('spec.nodeName', 'a pod cannot be moved to another node')]
    : []),
]

/** The status is the host's to write; only the metadata that comes with it is checked. */
export const validatePodStatusUpdate = (pod: Pod, old: Pod): FieldErrors =>
  validateCoreMetadataUpdate(pod.metadata, old.metadata)

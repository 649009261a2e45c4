/**
 * Pods: what runs on which host, and what it tolerates. Created for a host or bound to it; never
 * scheduled here.
 */
import { deepEqual } from '../json.ts'
import {
  metadataWarnings,
  namespacedFields,
  prepareMetadataForCreate,
  prepareMetadataForUpdate,
} from '../meta/metadata.ts'
import type { Pod, PodSpec } from '../objects.ts'
import { EVERY_VERB, type Resource, STATUS } from '../resource.ts'
import { podColumns, podIPs, podRowConditions } from './columns.ts'
import { withDefaultTolerations } from './default-tolerations.ts'
import { podSchema } from './schema.ts'
import {
  validateBinding,
  validatePod,
  validatePodStatusUpdate,
  validatePodUpdate,
} from './validation.ts'

export const pods: Resource<Pod> = {
  group: '',
  version: 'v1',
  plural: 'pods',
  singular: 'pod',
  kind: 'Pod',
  shortNames: ['po'],
  categories: ['all'],
  namespaced: true,
  verbs: EVERY_VERB,
  subresources: [
    { name: 'binding', kind: { group: '', version: 'v1', kind: 'Binding' }, verbs: ['create'] },
    {
      name: 'eviction',
      kind: { group: 'policy', version: 'v1', kind: 'Eviction' },
      verbs: ['create'],
    },
    STATUS,
  ],
  schema: podSchema,
  columns: podColumns,
  rowConditions: podRowConditions,
  selectable: selectableOf,
  createOnUpdate: false,
  unconditionalUpdate: true,

  withDefaults: (pod) => ({ ...pod, spec: { ...DEFAULTS, ...pod.spec } }),
  prepareForCreate: (pod) => ({
    ...pod,
    metadata: { ...prepareMetadataForCreate(pod.metadata), generation: 1 },
    spec: withTolerations(pod.spec ?? {}),
    // A new pod has not run anywhere, whatever status the client sent.
    status: { phase: 'Pending' },
  }),
  prepareForUpdate,
  validateCreate: validatePod,
  validateUpdate: (pod, old, subresource) => {
    if (subresource === 'status') return validatePodStatusUpdate(pod, old)
    if (subresource === 'binding') return validateBinding(pod, old)
    return validatePodUpdate(pod, old)
  },
  warnings: metadataWarnings,
}

const DEFAULTS: PodSpec = {
  restartPolicy: 'Always',
  terminationGracePeriodSeconds: 30,
  dnsPolicy: 'ClusterFirst',
  schedulerName: 'default-scheduler',
}

const withTolerations = (spec: PodSpec): PodSpec => ({
  ...spec,
  tolerations: withDefaultTolerations(spec.tolerations ?? []),
})

function prepareForUpdate(pod: Pod, old: Pod, subresource?: string): Pod {
  const metadata = prepareMetadataForUpdate(pod.metadata, old.metadata)
  if (subresource === 'status') {
    const { ownerReferences } = old.metadata
    return { ...pod, metadata: { ...metadata, ownerReferences }, spec: old.spec }
  }
  // A binding brings its own condition; any other writer of the spec leaves the status alone.
  if (subresource === 'binding') return withGeneration({ ...pod, metadata }, old)
  const spec = withTolerations(pod.spec ?? {})
  return withGeneration({ ...pod, metadata, spec, status: old.status }, old)
}

/** Counts the specs this pod has had, so that a status can say which one it is about. */
function withGeneration(pod: Pod, old: Pod): Pod {
  if (deepEqual(pod.spec, old.spec)) return pod
  const generation = (old.metadata.generation ?? 0) + 1
  return { ...pod, metadata: { ...pod.metadata, generation } }
}

function selectableOf(pod: Pod): Readonly<Record<string, string>> {
  const { spec, status } = pod
  return {
    ...namespacedFields(pod),
    'spec.nodeName': spec?.nodeName ?? '',
    'spec.restartPolicy': spec?.restartPolicy ?? '',
    'spec.schedulerName': spec?.schedulerName ?? '',
    'spec.serviceAccountName': spec?.serviceAccountName ?? '',
    'spec.hostNetwork': String(spec?.hostNetwork ?? false),
    'status.phase': status?.phase ?? '',
    'status.podIP': podIPs(pod)[0] ?? '',
    'status.podIPs': podIPs(pod).join(','),
    'status.nominatedNodeName': String(status?.nominatedNodeName ?? ''),
  }
}

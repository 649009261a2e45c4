/**
 * A Pod: here a workload assignment, something that runs on a host and can be evicted from it. What
 * the service reads of it has a type, so that one host's malformed report cannot break a list; the
 * rest is kept as it came. Pods are not read in protobuf, so no field has a number.
 */

import { objectMetaSchema, typeFields } from '../meta/schema.ts'
import {
  any,
  boolean,
  type Field,
  field,
  int32,
  int64,
  listBy,
  listOf,
  mapOf,
  object,
  pointer,
  quantity,
  string,
  time,
  unnumbered,
} from '../schema.ts'
import {
  containerSchema,
  containerStatusSchema,
  ephemeralContainerSchema,
  resourceRequirementsSchema,
} from './container-schema.ts'

const CORE = 'io.k8s.api.core.v1'

export const tolerationSchema = object(`${CORE}.Toleration`, 'Lets a pod stay despite a taint.', {
  key: field(1, string, 'The key of the taint; empty with Exists for all.'),
  operator: field(2, string, 'Equal, which is the default, or Exists.'),
  value: field(3, string, 'The value of the taint.'),
  effect: field(4, string, 'The effect of the taint; empty for all.'),
  tolerationSeconds: pointer(5, int64, 'How long a NoExecute taint is borne; absent for ever.'),
})

const VOLUME_SOURCES = [
  ...['awsElasticBlockStore', 'azureDisk', 'azureFile', 'cephfs', 'cinder', 'configMap', 'csi'],
  ...['downwardAPI', 'emptyDir', 'ephemeral', 'fc', 'flexVolume', 'flocker', 'gcePersistentDisk'],
  ...['gitRepo', 'glusterfs', 'hostPath', 'image', 'iscsi', 'nfs', 'persistentVolumeClaim'],
  ...['photonPersistentDisk', 'portworxVolume', 'projected', 'quobyte', 'rbd', 'scaleIO'],
  ...['secret', 'storageos', 'vsphereVolume'],
]

const volumeSources: Readonly<Record<string, Field>> = Object.fromEntries(
  VOLUME_SOURCES.map((source) => [source, unnumbered(any, 'A source of the volume; kept as is.')]),
)

const volumeSchema = object(`${CORE}.Volume`, 'Storage of a pod.', {
  name: unnumbered(string, 'Unique within the pod.'),
  ...volumeSources,
})

const localObjectReferenceSchema = object(
  `${CORE}.LocalObjectReference`,
  'An object of the same namespace.',
  { name: unnumbered(string, 'Its name.') },
)

const hostAliasSchema = object(`${CORE}.HostAlias`, 'A line of the hosts file.', {
  ip: unnumbered(string, 'The address.'),
  hostnames: unnumbered(listOf(string), 'Its names.'),
})

const topologySpreadConstraintSchema = object(
  `${CORE}.TopologySpreadConstraint`,
  'How pods are spread.',
  {
    topologyKey: unnumbered(string, 'The label that tells the places apart.'),
    maxSkew: unnumbered(int32, 'How uneven it may be.'),
    whenUnsatisfiable: unnumbered(string, 'DoNotSchedule or ScheduleAnyway.'),
    labelSelector: unnumbered(any, 'The pods that count.'),
    minDomains: unnumbered(int32, 'How many places there must be.'),
    nodeAffinityPolicy: unnumbered(string, 'Whether affinity narrows the places.'),
    nodeTaintsPolicy: unnumbered(string, 'Whether taints narrow the places.'),
    matchLabelKeys: unnumbered(listOf(string), 'Labels taken from the pod itself.'),
  },
)

const readinessGateSchema = object(`${CORE}.PodReadinessGate`, 'A condition of readiness.', {
  conditionType: unnumbered(string, 'The condition that must be True.'),
})

const podSpecSchema = object(`${CORE}.PodSpec`, 'What is to run, and where.', {
  nodeName: unnumbered(string, 'The node it is assigned to.'),
  tolerations: unnumbered(listOf(tolerationSchema), 'The taints it bears.'),
  terminationGracePeriodSeconds: unnumbered(int64, 'How long it has to end by itself.'),
  containers: unnumbered(listBy('name', containerSchema), 'What runs.'),
  initContainers: unnumbered(listBy('name', containerSchema), 'What runs before.'),
  ephemeralContainers: unnumbered(listBy('name', ephemeralContainerSchema), 'What looks into it.'),
  volumes: unnumbered(listBy('name', volumeSchema), 'Its storage.'),
  imagePullSecrets: unnumbered(listBy('name', localObjectReferenceSchema), 'Keys for its images.'),
  hostAliases: unnumbered(listBy('ip', hostAliasSchema), 'Lines of its hosts file.'),
  topologySpreadConstraints: unnumbered(
    listBy('topologyKey', topologySpreadConstraintSchema),
    'How it is spread.',
  ),
  restartPolicy: unnumbered(string, 'Always, OnFailure or Never.'),
  activeDeadlineSeconds: unnumbered(int64, 'How long it may run.'),
  dnsPolicy: unnumbered(string, 'How it resolves names.'),
  dnsConfig: unnumbered(any, 'Details of that.'),
  nodeSelector: unnumbered(mapOf(string), 'Labels its node must have.'),
  serviceAccountName: unnumbered(string, 'Who it is.'),
  serviceAccount: unnumbered(string, 'Obsolete; serviceAccountName.'),
  automountServiceAccountToken: unnumbered(boolean, 'Whether it gets its token.'),
  hostNetwork: unnumbered(boolean, 'Whether it uses the network of the host.'),
  hostPID: unnumbered(boolean, 'Whether it sees the processes of the host.'),
  hostIPC: unnumbered(boolean, 'Whether it shares the memory of the host.'),
  hostUsers: unnumbered(boolean, 'Whether it shares the users of the host.'),
  shareProcessNamespace: unnumbered(boolean, 'Whether its containers see each other.'),
  securityContext: unnumbered(any, 'Its privileges.'),
  hostname: unnumbered(string, 'What it calls itself.'),
  hostnameOverride: unnumbered(string, 'What it calls itself in any case.'),
  subdomain: unnumbered(string, 'The rest of its name.'),
  setHostnameAsFQDN: unnumbered(boolean, 'Whether it calls itself by its full name.'),
  affinity: unnumbered(any, 'Where it would like to run.'),
  schedulerName: unnumbered(string, 'Who assigns it.'),
  schedulingGates: unnumbered(listBy('name', localObjectReferenceSchema), 'What must go first.'),
  schedulingGroup: unnumbered(any, 'The group it is assigned with.'),
  priorityClassName: unnumbered(string, 'How important it is, by name.'),
  priority: unnumbered(int32, 'How important it is.'),
  preemptionPolicy: unnumbered(string, 'Whether it may push others out.'),
  readinessGates: unnumbered(listOf(readinessGateSchema), 'Further conditions of readiness.'),
  runtimeClassName: unnumbered(string, 'Which runtime runs it.'),
  enableServiceLinks: unnumbered(boolean, 'Whether services appear in its environment.'),
  overhead: unnumbered(mapOf(quantity), 'What the runtime itself needs.'),
  os: unnumbered(any, 'The operating system it needs.'),
  resourceClaims: unnumbered(listBy('name', any), 'Claims on devices.'),
  resources: unnumbered(resourceRequirementsSchema, 'What it needs as a whole.'),
  workloadRef: unnumbered(any, 'The workload it belongs to.'),
})

const podConditionSchema = object(`${CORE}.PodCondition`, 'One aspect of the state of a pod.', {
  type: unnumbered(string, 'Which aspect.'),
  status: unnumbered(string, 'True, False or Unknown.'),
  observedGeneration: unnumbered(int64, 'The generation it is about.'),
  lastProbeTime: unnumbered(time, 'When it was last looked at.'),
  lastTransitionTime: unnumbered(time, 'When the status last changed.'),
  reason: unnumbered(string, 'One word for programs.'),
  message: unnumbered(string, 'A sentence for people.'),
})

const ipSchema = (name: string) =>
  object(`${CORE}.${name}`, 'An address.', { ip: unnumbered(string, 'The address.') })

const podStatusSchema = object(`${CORE}.PodStatus`, 'How the pod is, as its host reports.', {
  phase: unnumbered(string, 'Pending, Running, Succeeded, Failed or Unknown.'),
  conditions: unnumbered(listBy('type', podConditionSchema), 'Its state, aspect by aspect.'),
  observedGeneration: unnumbered(int64, 'The generation this is about.'),
  reason: unnumbered(string, 'Why it is in this state, in one word.'),
  message: unnumbered(string, 'Why it is in this state, in a sentence.'),
  startTime: unnumbered(time, 'When its host took it.'),
  hostIP: unnumbered(string, 'The address of its host.'),
  hostIPs: unnumbered(listBy('ip', ipSchema('HostIP')), 'The addresses of its host.'),
  podIP: unnumbered(string, 'Its address.'),
  podIPs: unnumbered(listBy('ip', ipSchema('PodIP')), 'Its addresses.'),
  nominatedNodeName: unnumbered(string, 'Where it would go once there is room.'),
  containerStatuses: unnumbered(listOf(containerStatusSchema), 'How its containers are.'),
  initContainerStatuses: unnumbered(listOf(containerStatusSchema), 'How its init containers are.'),
  ephemeralContainerStatuses: unnumbered(
    listOf(containerStatusSchema),
    'How its ephemeral containers are.',
  ),
  qosClass: unnumbered(string, 'Guaranteed, Burstable or BestEffort.'),
  resize: unnumbered(string, 'How a change of resources goes.'),
  resourceClaimStatuses: unnumbered(listBy('name', any), 'How its claims are.'),
  extendedResourceClaimStatus: unnumbered(any, 'How its claim on extended resources is.'),
  allocatedResources: unnumbered(mapOf(quantity), 'What it was given.'),
  resources: unnumbered(resourceRequirementsSchema, 'What it uses.'),
})

export const podSchema = object(
  `${CORE}.Pod`,
  'A workload assignment: something that runs on a host and can be evicted from it.',
  {
    ...typeFields,
    metadata: unnumbered(objectMetaSchema, 'Name, labels and history of the object.'),
    spec: unnumbered(podSpecSchema, 'What is to run, and where.'),
    status: unnumbered(podStatusSchema, 'How it is, as its host reports.'),
  },
)

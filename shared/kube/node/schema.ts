/** A Node: a host, what it can hold and how it says it is. */

import { metadataField, typeFields } from '../meta/schema.ts'
import {
  boolean,
  field,
  int32,
  int64,
  listBy,
  listOf,
  mapOf,
  object,
  pointer,
  quantity,
  required,
  setOf,
  string,
  time,
} from '../schema.ts'

const CORE = 'io.k8s.api.core.v1'

const taintSchema = object(
  `${CORE}.Taint`,
  'Keeps pods away from a node unless they tolerate it.',
  {
    key: required(1, string, 'What the taint is about.'),
    value: field(2, string, 'Tells taints of one key apart.'),
    effect: required(3, string, 'NoSchedule, PreferNoSchedule or NoExecute.'),
    timeAdded: pointer(4, time, 'When it was added; evictions count from here.'),
  },
)

const nodeSpecSchema = object(`${CORE}.NodeSpec`, 'What is wanted of the node.', {
  podCIDR: field(1, string, 'Address range for the pods of the node; the first of podCIDRs.'),
  externalID: field(2, string, 'Obsolete.'),
  providerID: field(3, string, 'Name of the machine at its provider; can be set once.'),
  unschedulable: field(4, boolean, 'Cordoned: nothing new is to be placed here.'),
  taints: field(5, listOf(taintSchema), 'What keeps pods away.'),
  podCIDRs: field(7, setOf(string), 'Address ranges for pods, at most one of each family.'),
})

const nodeConditionSchema = object(`${CORE}.NodeCondition`, 'One aspect of the health of a node.', {
  type: required(1, string, 'Which aspect: Ready, MemoryPressure, DiskPressure, PIDPressure, …'),
  status: required(2, string, 'True, False or Unknown.'),
  lastHeartbeatTime: field(3, time, 'When the host last reported it, by its own clock.'),
  lastTransitionTime: field(4, time, 'When the status last changed.'),
  reason: field(5, string, 'One word for programs.'),
  message: field(6, string, 'A sentence for people.'),
})

const nodeAddressSchema = object(`${CORE}.NodeAddress`, 'Where the node can be reached.', {
  type: required(1, string, 'Hostname, InternalIP, ExternalIP, InternalDNS or ExternalDNS.'),
  address: required(2, string, 'The address.'),
})

// The capital letter is the wire's own.
const daemonEndpointSchema = object(`${CORE}.DaemonEndpoint`, 'A port of a daemon.', {
  Port: required(1, int32, 'The port.'),
})

const nodeDaemonEndpointsSchema = object(
  `${CORE}.NodeDaemonEndpoints`,
  'Ports of the daemons on the node.',
  { kubeletEndpoint: field(1, daemonEndpointSchema, 'Where the agent listens.') },
)

const nodeSwapStatusSchema = object(`${CORE}.NodeSwapStatus`, 'Swap space of the node.', {
  capacity: pointer(1, int64, 'Total swap in bytes.'),
})

const nodeSystemInfoSchema = object(
  `${CORE}.NodeSystemInfo`,
  'Identifies the machine and what runs on it.',
  {
    machineID: required(1, string, 'Identifier from the operating system.'),
    systemUUID: required(2, string, 'Identifier from the hardware.'),
    bootID: required(3, string, 'Changes with every boot.'),
    kernelVersion: required(4, string, 'Version of the kernel.'),
    osImage: required(5, string, 'Operating system as it calls itself.'),
    containerRuntimeVersion: required(6, string, 'Runtime and its version.'),
    kubeletVersion: required(7, string, 'Version of the agent.'),
    kubeProxyVersion: required(8, string, 'Obsolete.'),
    operatingSystem: required(9, string, 'linux, windows, …'),
    architecture: required(10, string, 'amd64, arm64, …'),
    swap: pointer(11, nodeSwapStatusSchema, 'Swap space.'),
  },
)

const containerImageSchema = object(`${CORE}.ContainerImage`, 'An image present on the node.', {
  names: field(1, listOf(string), 'Names it is known by.'),
  sizeBytes: field(2, int64, 'Its size.'),
})

const attachedVolumeSchema = object(`${CORE}.AttachedVolume`, 'A volume attached to the node.', {
  name: required(1, string, 'Name of the volume.'),
  devicePath: required(2, string, 'Where it appears on the node.'),
})

const nodeRuntimeHandlerFeaturesSchema = object(
  `${CORE}.NodeRuntimeHandlerFeatures`,
  'What a runtime handler can do.',
  {
    recursiveReadOnlyMounts: pointer(1, boolean, 'Whether mounts can be read-only throughout.'),
    userNamespaces: pointer(2, boolean, 'Whether pods can have user namespaces.'),
  },
)

const nodeRuntimeHandlerSchema = object(`${CORE}.NodeRuntimeHandler`, 'A runtime handler.', {
  name: field(1, string, 'Its name, empty for the default one.'),
  features: pointer(2, nodeRuntimeHandlerFeaturesSchema, 'What it can do.'),
})

const nodeFeaturesSchema = object(`${CORE}.NodeFeatures`, 'What the runtime of the node can do.', {
  supplementalGroupsPolicy: pointer(1, boolean, 'Whether it knows supplementalGroupsPolicy.'),
})

const nodeStatusSchema = object(`${CORE}.NodeStatus`, 'What the host last reported.', {
  capacity: field(1, mapOf(quantity), 'All there is on the host.'),
  allocatable: field(2, mapOf(quantity), 'What pods may use of it.'),
  phase: field(3, string, 'Obsolete.'),
  conditions: field(4, listBy('type', nodeConditionSchema), 'Its health, aspect by aspect.'),
  // Several addresses may share a type; agents replace the whole list when it changes.
  addresses: field(5, listBy('type', nodeAddressSchema), 'Where it can be reached.'),
  daemonEndpoints: field(6, nodeDaemonEndpointsSchema, 'Ports of its daemons.'),
  nodeInfo: field(7, nodeSystemInfoSchema, 'The machine and what runs on it.'),
  images: field(8, listOf(containerImageSchema), 'Images present.'),
  volumesInUse: field(9, listOf(string), 'Volumes in use.'),
  volumesAttached: field(10, listOf(attachedVolumeSchema), 'Volumes attached.'),
  runtimeHandlers: field(12, listOf(nodeRuntimeHandlerSchema), 'Runtime handlers available.'),
  features: pointer(13, nodeFeaturesSchema, 'What its runtime can do.'),
  declaredFeatures: field(14, listOf(string), 'Features the node declares, sorted.'),
})

export const nodeSchema = object(
  `${CORE}.Node`,
  'A host that registers itself, renews a lease and reports its status.',
  {
    ...typeFields,
    metadata: metadataField,
    spec: field(2, nodeSpecSchema, 'What is wanted of the node.'),
    status: field(3, nodeStatusSchema, 'What the host last reported.'),
  },
)

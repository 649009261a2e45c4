/**
 * Nodes: the hosts. Status and spec have different writers, so each path puts back what is not its
 * own.
 */

import { cidrWarnings } from '../cidr.ts'
import {
  metadataWarnings,
  nameFields,
  prepareMetadataForCreate,
  prepareMetadataForUpdate,
} from '../meta/metadata.ts'
import type { Node, NodeCondition, NodeSpec, NodeStatus, Taint } from '../objects.ts'
import { EVERY_VERB, type Resource, STATUS } from '../resource.ts'
import { nodeColumns } from './columns.ts'
import { nodeSchema } from './schema.ts'
import { validateNode, validateNodeStatusUpdate, validateNodeUpdate } from './validation.ts'
import { EMPTY_NODE_INFO } from './well-known.ts'

export const nodes: Resource<Node> = {
  group: '',
  version: 'v1',
  plural: 'nodes',
  singular: 'node',
  kind: 'Node',
  shortNames: ['no'],
  categories: [],
  namespaced: false,
  verbs: EVERY_VERB,
  subresources: [STATUS],
  schema: nodeSchema,
  columns: nodeColumns,
  selectable: (node) => ({
    ...nameFields(node),
    'spec.unschedulable': String(node.spec?.unschedulable ?? false),
  }),
  createOnUpdate: false,
  unconditionalUpdate: true,

  withDefaults: withNodeDefaults,
  prepareForCreate: (node) =>
    withNotReadyTaint({ ...node, metadata: prepareMetadataForCreate(node.metadata) }),
  prepareForUpdate: (node, old, subresource) => ({
    ...node,
    // Labels, annotations, owners and finalizers come through the status too: agents restore
    // their labels there.
    metadata: prepareMetadataForUpdate(node.metadata, old.metadata),
    ...(subresource === 'status' ? { spec: old.spec } : { status: old.status }),
  }),
  validateCreate: validateNode,
  validateUpdate: (node, old, subresource) =>
    subresource === 'status' ? validateNodeStatusUpdate(node, old) : validateNodeUpdate(node, old),
  warnings: nodeWarnings,
}

function nodeWarnings(node: Node, subresource?: string): readonly string[] {
  // An agent that reports a status cannot change the spec, so it is not warned about it.
  if (subresource === 'status') return metadataWarnings(node)
  const external = node.spec?.externalID
    ? ['spec.externalID: this field is deprecated, and is unused by Kubernetes']
    : []
  const cidrs = (node.spec?.podCIDRs ?? []).flatMap((cidr, i) =>
    cidrWarnings(cidr, `spec.podCIDRs[${i}]`),
  )
  return [...metadataWarnings(node), ...external, ...cidrs]
}

// ---- what the server adds to a node so that every client can read it ----------------------------

function withNodeDefaults(node: Node): Node {
  return withoutEmptyTaints({
    ...node,
    spec: withoutConfig(withPodCidrs(node.spec ?? {}), 'configSource'),
    status: withoutConfig(withStatusDefaults(node.status ?? {}), 'config'),
  })
}

/** Kubernetes leaves the list out when the last taint is gone. */
export function withoutEmptyTaints(node: Node): Node {
  if (node.spec?.taints?.length !== 0) return node
  const { taints: _none, ...spec } = node.spec
  return { ...node, spec }
}

/** One value in two fields: the singular wins, and the list must begin with it. */
function withPodCidrs({ podCIDR, podCIDRs, ...spec }: NodeSpec): NodeSpec {
  if (!podCIDR) return podCIDRs?.length ? { podCIDR: podCIDRs[0], podCIDRs, ...spec } : spec
  return { podCIDR, podCIDRs: podCIDRs?.[0] === podCIDR ? podCIDRs : [podCIDR], ...spec }
}

function withStatusDefaults(status: NodeStatus): NodeStatus {
  const allocatable = status.allocatable ?? status.capacity
  return {
    ...status,
    ...(allocatable && { allocatable }),
    ...(status.conditions && { conditions: status.conditions.map(withTimes) }),
    daemonEndpoints: {
      ...status.daemonEndpoints,
      kubeletEndpoint: { Port: 0, ...status.daemonEndpoints?.kubeletEndpoint },
    },
    // Complete or absent: the Python client refuses a nodeInfo that lacks a member.
    nodeInfo: { ...EMPTY_NODE_INFO, ...status.nodeInfo },
  }
}

const withTimes = (condition: NodeCondition): NodeCondition => ({
  ...condition,
  lastHeartbeatTime: condition.lastHeartbeatTime ?? null,
  lastTransitionTime: condition.lastTransitionTime ?? null,
})

/** Dynamic kubelet configuration was removed from Kubernetes; its fields are dropped. */
function withoutConfig<T extends object>(part: T, member: 'configSource' | 'config'): T {
  if (!(member in part)) return part
  return Object.fromEntries(Object.entries(part).filter(([key]) => key !== member)) as T
}

const NOT_READY: Taint = { key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' }

/** Every new node starts with this taint, whatever its status says; the monitor removes it. */
function withNotReadyTaint(node: Node): Node {
  const taints = node.spec?.taints ?? []
  const present = taints.some(
    ({ key, effect }) => key === NOT_READY.key && effect === NOT_READY.effect,
  )
  return present ? node : { ...node, spec: { ...node.spec, taints: [...taints, NOT_READY] } }
}

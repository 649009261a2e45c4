/** What the server adds to a node so that every client can read it. */

import type { Node, NodeCondition, NodeSpec, NodeStatus, Taint } from '../objects.ts'
import { EMPTY_NODE_INFO } from './well-known.ts'

export function withNodeDefaults(node: Node): Node {
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
export function withNotReadyTaint(node: Node): Node {
  const taints = node.spec?.taints ?? []
  const present = taints.some(
    ({ key, effect }) => key === NOT_READY.key && effect === NOT_READY.effect,
  )
  return present ? node : { ...node, spec: { ...node.spec, taints: [...taints, NOT_READY] } }
}

/** What does the server add to a node so that every client can read it as from a real one? */
import { NO_NODE_INFO } from '../node-facts.ts'
import type { Node, NodeCondition, NodeSpec, NodeStatus, Taint } from '../objects.ts'

export function withNodeDefaults(node: Node): Node {
  return {
    ...node,
    spec: withoutConfig(withPodCidrs(node.spec ?? {}), 'configSource'),
    status: withoutConfig(withStatusDefaults(node.status ?? {}), 'config'),
  }
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
    nodeInfo: { ...NO_NODE_INFO, ...status.nodeInfo },
  }
}

const withTimes = (condition: NodeCondition): NodeCondition => ({
  ...condition,
  lastHeartbeatTime: condition.lastHeartbeatTime ?? null,
  lastTransitionTime: condition.lastTransitionTime ?? null,
})

/**
 * Dynamic kubelet configuration was removed from Kubernetes; its fields are dropped wherever they
 * appear.
 */
function withoutConfig<T extends object>(part: T, member: 'configSource' | 'config'): T {
  if (!(member in part)) return part
  return Object.fromEntries(Object.entries(part).filter(([key]) => key !== member)) as T
}

const NOT_READY: Taint = { key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' }

/** Every new node starts closed, whoever creates it and whatever its status says. */
export function withNotReadyTaint(node: Node): Node {
  const taints = node.spec?.taints ?? []
  const present = taints.some(
    ({ key, effect }) => key === NOT_READY.key && effect === NOT_READY.effect,
  )
  return present ? node : { ...node, spec: { ...node.spec, taints: [...taints, NOT_READY] } }
}

/** Kubernetes objects of a healthy fleet, for tests to change as they need. */
import type { Lease, Node, Pod, Toleration } from '../../shared/kube/objects.ts'
import { formatTime } from '../../shared/kube/time.ts'

export const nodeName = (at: number) => `host-${String(at).padStart(5, '0')}`

interface Written {
  readonly nowMs: number
  readonly uid?: string
}

interface WrittenNode extends Written {
  readonly zone?: string
  readonly metadata?: Partial<Node['metadata']>
}

/** A Ready node as its host writes it. Defaults: zone `a`, a uid made of the name. */
export function readyNode(name: string, { nowMs, uid, zone = 'a', metadata }: WrittenNode): Node {
  const now = formatTime(nowMs)
  const times = { lastHeartbeatTime: now, lastTransitionTime: now }
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name,
      uid: uid ?? `uid-${name}`,
      creationTimestamp: now,
      labels: { 'topology.kubernetes.io/zone': zone },
      ...metadata,
    },
    spec: {},
    status: {
      conditions: [{ type: 'Ready', status: 'True', reason: 'KubeletReady', ...times }],
    },
  }
}

interface WrittenLease {
  readonly renewTime: string
  readonly uid?: string
  /** The uid of its Node. Default: no owner. */
  readonly ownerUid?: string
}

/** The lease of a host, held by it. */
export function nodeLease(name: string, { renewTime, uid, ownerUid }: WrittenLease): Lease {
  const owner = { apiVersion: 'v1', kind: 'Node', name, uid: ownerUid ?? '' }
  return {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: {
      name,
      namespace: 'kube-node-lease',
      uid: uid ?? `uid-lease-${name}`,
      ...(ownerUid !== undefined && { ownerReferences: [owner] }),
    },
    spec: { holderIdentity: name, leaseDurationSeconds: 40, renewTime },
  }
}

/** A Ready pod that is bound to a node, in the namespace `default`. */
export function runningPod(name: string, nodeName: string, { nowMs, uid }: Written): Pod {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name,
      namespace: 'default',
      uid: uid ?? `uid-${name}`,
      creationTimestamp: formatTime(nowMs),
    },
    spec: { nodeName },
    status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] },
  }
}

/** What the DefaultTolerationSeconds admission gives a pod. */
export const defaultTolerations = (tolerationSeconds: number): Toleration[] =>
  ['not-ready', 'unreachable'].map((word) => ({
    key: `node.kubernetes.io/${word}`,
    operator: 'Exists',
    effect: 'NoExecute',
    tolerationSeconds,
  }))

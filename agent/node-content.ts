/**
 * What does a host say about itself when it registers, and what does it put right when it was known
 * before?
 */

import { deepEqual } from '../shared/kube/equal.ts'
import { OWN_NODE_LABELS } from '../shared/kube/node-facts.ts'
import type { Node, NodeStatus, Taint } from '../shared/kube/objects.ts'
import { isSameQuantity } from './amounts.ts'
import type { MachineFacts } from './machine.ts'
import { isExtended } from './setters/machine.ts'

/** Says that this host runs pods, so the service waits for it to confirm their end. */
export const PODS_ANNOTATION = 'agent.leasehold.dev/pods'
/** Set by `--leave`: the host cordoned itself and may undo that when it comes back. */
export const LEFT_ANNOTATION = 'agent.leasehold.dev/left'
export const ATTACH_DETACH_ANNOTATION = 'volumes.kubernetes.io/controller-managed-attach-detach'

/** These follow the agent's wish: wanted ones are set, the others taken away. */
const OWN_ANNOTATIONS = [PODS_ANNOTATION, ATTACH_DETACH_ANNOTATION]

const UNINITIALIZED: Taint = {
  key: 'node.cloudprovider.kubernetes.io/uninitialized',
  value: 'true',
  effect: 'NoSchedule',
}

export interface NodeWish {
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  readonly taints: readonly Taint[]
  readonly annotations: Readonly<Record<string, string>>
  readonly providerId?: string
  readonly hasExternalProvider?: boolean
}

export function initialNode(wish: NodeWish, facts: MachineFacts): Node {
  const taints = wish.hasExternalProvider ? [...wish.taints, UNINITIALIZED] : wish.taints
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name: wish.name,
      labels: { ...platformLabels(wish.name, facts), ...wish.labels },
      ...(Object.keys(wish.annotations).length > 0 && { annotations: wish.annotations }),
    },
    spec: {
      ...(wish.providerId && { providerID: wish.providerId }),
      ...(taints.length > 0 && { taints }),
    },
  }
}

/** A node that was given a name goes by it as a host, too, as with the kubelet's override. */
const platformLabels = (name: string, { os, arch }: MachineFacts) => ({
  'kubernetes.io/hostname': name,
  'kubernetes.io/os': os,
  'kubernetes.io/arch': arch,
  'beta.kubernetes.io/os': os,
  'beta.kubernetes.io/arch': arch,
})

const RECONCILED_LABELS = [...OWN_NODE_LABELS, 'node.kubernetes.io/windows-build']

/**
 * The Node as it should be after a restart. Taints, custom labels and ordinary sizes are left as
 * they are.
 */
export function reconciled(existing: Node, wanted: Node, zeroExtended = false): Node {
  const labels = reconcileLabels(existing.metadata.labels, wanted.metadata.labels ?? {})
  const annotations = reconcileAnnotations(
    existing.metadata.annotations ?? {},
    wanted.metadata.annotations ?? {},
  )
  const status = reconcileSizes(existing.status ?? {}, wanted.status ?? {}, zeroExtended)
  const node = { ...existing, metadata: { ...existing.metadata, labels, annotations }, status }
  return deepEqual(withDefaults(existing), node) ? existing : node
}

const withDefaults = (node: Node) => ({
  ...node,
  metadata: {
    ...node.metadata,
    labels: node.metadata.labels ?? {},
    annotations: node.metadata.annotations ?? {},
  },
  status: node.status ?? {},
})

/** The wanted value wins, an empty one removes, what nobody wants stays. */
export function reconcileLabels(
  existing: Readonly<Record<string, string>> | undefined,
  wanted: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  const labels = { ...existing }
  for (const key of RECONCILED_LABELS) {
    const value = wanted[key]
    if (value === undefined) continue
    if (value === '') delete labels[key]
    else labels[key] = value
  }
  return labels
}

function reconcileAnnotations(
  existing: Readonly<Record<string, string>>,
  wanted: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  const annotations = { ...existing }
  for (const key of OWN_ANNOTATIONS) {
    const value = wanted[key]
    if (value === undefined) delete annotations[key]
    else annotations[key] = value
  }
  return annotations
}

type Sizes = NodeStatus['capacity']

function reconcileSizes(
  existing: NodeStatus,
  wanted: NodeStatus,
  zeroExtended: boolean,
): NodeStatus {
  if (!existing.capacity && !wanted.capacity) return existing
  const fix = (now: Sizes, wish: Sizes) => hugePagesLike(zeroExtended ? zeroed(now) : now, wish)
  const capacity = existing.capacity ?? wanted.capacity
  const allocatable = existing.allocatable ?? wanted.allocatable ?? capacity
  return {
    ...existing,
    capacity: fix(capacity, wanted.capacity),
    allocatable: fix(allocatable, wanted.allocatable ?? wanted.capacity),
  }
}

const zeroed = (sizes: Sizes = {}): Sizes =>
  Object.fromEntries(
    Object.entries(sizes).map(([name, value]) => [name, isExtended(name) ? '0' : value]),
  )

/** Page sizes the kernel no longer has go away; others take the machine's numbers. */
function hugePagesLike(sizes: Sizes = {}, wanted: Sizes): Sizes {
  if (!wanted) return sizes
  const isHuge = ([name]: [string, string]) => name.startsWith('hugepages-')
  const kept = Object.entries(sizes).filter((entry) => !isHuge(entry) || entry[0] in wanted)
  const added = Object.entries(wanted)
    .filter(isHuge)
    .filter(([name, value]) => !isSameQuantity(sizes[name] ?? '', value))
  return Object.fromEntries([...kept, ...added])
}

/** The Node a host registers with, and what it corrects in one that exists already. */
import { deepEqual } from '../../shared/kube/json.ts'
import { KUBELET_LABELS } from '../../shared/kube/node/well-known.ts'
import type { Node, NodeStatus, Taint } from '../../shared/kube/objects.ts'
import type { MachineFacts } from '../machine/machine.ts'
import { isSameQuantity } from '../machine/quantities.ts'
import { isExtended } from '../status/setters/capacity.ts'

/** This host runs pods, so the service waits for it to confirm their deletion. */
export const PODS_ANNOTATION = 'agent.leasehold.dev/pods'
/** Set by `--leave`: the host cordoned itself and may undo that when it comes back. */
export const LEFT_ANNOTATION = 'agent.leasehold.dev/left'
const ATTACH_DETACH_ANNOTATION = 'volumes.kubernetes.io/controller-managed-attach-detach'

/** Owned by the agent: set when wanted, and removed when not. */
const OWN_ANNOTATIONS = [PODS_ANNOTATION, ATTACH_DETACH_ANNOTATION]

const UNINITIALIZED: Taint = {
  key: 'node.cloudprovider.kubernetes.io/uninitialized',
  value: 'true',
  effect: 'NoSchedule',
}

interface InitialNodeOptions {
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  readonly taints: readonly Taint[]
  readonly annotations: Readonly<Record<string, string>>
  readonly providerId?: string
  readonly hasExternalProvider?: boolean
}

export function initialNode(options: InitialNodeOptions, facts: MachineFacts): Node {
  const taints = options.hasExternalProvider ? [...options.taints, UNINITIALIZED] : options.taints
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name: options.name,
      labels: { ...platformLabels(options.name, facts), ...options.labels },
      ...(Object.keys(options.annotations).length > 0 && { annotations: options.annotations }),
    },
    spec: {
      ...(options.providerId && { providerID: options.providerId }),
      ...(taints.length > 0 && { taints }),
    },
  }
}

/** The hostname label is the node name, as with the kubelet's --hostname-override. */
const platformLabels = (name: string, { os, arch }: MachineFacts) => ({
  'kubernetes.io/hostname': name,
  'kubernetes.io/os': os,
  'kubernetes.io/arch': arch,
  'beta.kubernetes.io/os': os,
  'beta.kubernetes.io/arch': arch,
})

const RECONCILED_LABELS = [...KUBELET_LABELS, 'node.kubernetes.io/windows-build']

/** The existing Node with corrections. Taints, custom labels and ordinary capacity stay. */
export function reconcileNode(existing: Node, wanted: Node, zeroExtended = false): Node {
  const labels = updateDefaultLabels(existing.metadata.labels, wanted.metadata.labels ?? {})
  const annotations = reconcileAnnotations(
    existing.metadata.annotations ?? {},
    wanted.metadata.annotations ?? {},
  )
  const status = reconcileResources(existing.status ?? {}, wanted.status ?? {}, zeroExtended)
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

/** The wanted value wins, an empty one removes the label, and other labels stay. */
export function updateDefaultLabels(
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

type Resources = NodeStatus['capacity']

function reconcileResources(
  existing: NodeStatus,
  wanted: NodeStatus,
  zeroExtended: boolean,
): NodeStatus {
  if (!existing.capacity && !wanted.capacity) return existing
  const fix = (now: Resources, target: Resources) =>
    reconcileHugePages(zeroExtended ? zeroed(now) : now, target)
  const capacity = existing.capacity ?? wanted.capacity
  const allocatable = existing.allocatable ?? wanted.allocatable ?? capacity
  return {
    ...existing,
    capacity: fix(capacity, wanted.capacity),
    allocatable: fix(allocatable, wanted.allocatable ?? wanted.capacity),
  }
}

const zeroed = (resources: Resources = {}): Resources =>
  Object.fromEntries(
    Object.entries(resources).map(([name, value]) => [name, isExtended(name) ? '0' : value]),
  )

/** Page sizes the kernel no longer has go away; others take the machine's numbers. */
function reconcileHugePages(resources: Resources = {}, wanted: Resources): Resources {
  if (!wanted) return resources
  const isHuge = ([name]: [string, string]) => name.startsWith('hugepages-')
  const kept = Object.entries(resources).filter((entry) => !isHuge(entry) || entry[0] in wanted)
  const added = Object.entries(wanted)
    .filter(isHuge)
    .filter(([name, value]) => !isSameQuantity(resources[name] ?? '', value))
  return Object.fromEntries([...kept, ...added])
}

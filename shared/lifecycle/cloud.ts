/**
 * Does the machine behind a silent node still exist?
 *
 * Only a provider that says so makes a node `gone`: no provider, no answer and an error all mean
 * that nobody knows.
 */
import type { Node, Taint } from '../kube/objects.ts'

export type CloudAnswer = 'running' | 'shutdown' | 'gone' | 'unknown'

/** By the provider's own id where the node carries one, else by the node's name. */
export type InstanceRef = { readonly providerID: string } | { readonly name: string }

export interface CloudInstances {
  find(instance: InstanceRef): Promise<CloudAnswer>
}

/** Why the check cannot run, or undefined. Without a provider nobody switches it on. */
export function cloudProblem(settings: {
  readonly cloud: CloudInstances | undefined
  /** How many nodes are asked about at the same time. */
  readonly workers: number
}): string | undefined {
  if (!settings.cloud) return 'name a cloud provider, or switch the cloud check off'
  if (!(settings.workers > 0)) return 'ask about at least one node at a time'
  return undefined
}

export const SHUTDOWN_TAINT: Taint = {
  key: 'node.cloudprovider.kubernetes.io/shutdown',
  effect: 'NoSchedule',
}

export type CloudAction =
  | { readonly kind: 'none' }
  /** Leaves no grace: the node's own late departure from Ready was the grace. */
  | { readonly kind: 'delete' }
  | { readonly kind: 'addShutdownTaint'; readonly taints: readonly Taint[] }
  | { readonly kind: 'removeShutdownTaint'; readonly taints: readonly Taint[] }

const NONE: CloudAction = { kind: 'none' }

/** A provider is asked only about nodes that are not Ready: healthy machines prove themselves. */
export function needsAnswer(node: Node): boolean {
  return node.status?.conditions?.find(({ type }) => type === 'Ready')?.status !== 'True'
}

export function instanceOf({ metadata, spec }: Node): InstanceRef {
  return spec?.providerID ? { providerID: spec.providerID } : { name: metadata.name ?? '' }
}

/** Asks, and turns every kind of silence into `unknown`. */
export async function askCloud(
  cloud: CloudInstances | undefined,
  node: Node,
): Promise<CloudAnswer> {
  if (!cloud) return 'unknown'
  try {
    return await cloud.find(instanceOf(node))
  } catch {
    // Whatever went wrong, it is no evidence about the machine. The next round asks again.
    return 'unknown'
  }
}

export function judgeInstance(node: Node, answer: CloudAnswer): CloudAction {
  const taints = node.spec?.taints ?? []
  const others = taints.filter((taint) => !isShutdownTaint(taint))
  const isTainted = others.length < taints.length

  if (!needsAnswer(node)) return isTainted ? { kind: 'removeShutdownTaint', taints: others } : NONE
  if (answer === 'gone') return { kind: 'delete' }
  if (answer !== 'shutdown' || isTainted) return NONE
  return { kind: 'addShutdownTaint', taints: [...taints, SHUTDOWN_TAINT] }
}

/** Key and effect make a taint what it is; its value does not. */
function isShutdownTaint({ key, effect }: Taint): boolean {
  return key === SHUTDOWN_TAINT.key && effect === SHUTDOWN_TAINT.effect
}

export interface CloudEvent {
  readonly component: 'cloud-node-lifecycle-controller'
  readonly type: 'Normal' | 'Warning'
  readonly reason: 'DeletingNode' | 'DeletingNodeFailed'
  readonly message: string
}

/** Told before the deletion, and again with the reason when it failed. */
export function deletionEvent(nodeName: string, failure?: string): CloudEvent {
  const component = 'cloud-node-lifecycle-controller'
  if (failure === undefined) {
    const message = `Deleting node ${nodeName} because it does not exist in the cloud provider`
    return { component, type: 'Normal', reason: 'DeletingNode', message }
  }
  const message = `Node ${nodeName} was not deleted and will be tried again: ${failure}`
  return { component, type: 'Warning', reason: 'DeletingNodeFailed', message }
}

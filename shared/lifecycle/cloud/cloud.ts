/**
 * Does the machine behind a silent node still exist?
 *
 * Only a provider's clear answer makes a node `gone`: no provider, no answer and an error all mean
 * `unknown`.
 */
import type { Node, Taint } from '../../kube/objects.ts'
import { type EventDraft, nodeReference } from '../events/core-events.ts'
import { readyOf } from '../liveness/health.ts'
import type { KnownNode } from '../world.ts'

export type CloudAnswer = 'running' | 'shutdown' | 'gone' | 'unknown'

/** By the provider's own id where the node carries one, else by the node's name. */
export type InstanceRef = { readonly providerID: string } | { readonly name: string }

export interface CloudInstances {
  find(instance: InstanceRef): Promise<CloudAnswer>
}

export const SHUTDOWN_TAINT: Taint = {
  key: 'node.cloudprovider.kubernetes.io/shutdown',
  effect: 'NoSchedule',
}

type CloudAction =
  | { readonly kind: 'none' }
  /** At once: the time until the node was not Ready was its grace. */
  | { readonly kind: 'delete' }
  | { readonly kind: 'addShutdownTaint'; readonly taints: readonly Taint[] }
  | { readonly kind: 'removeShutdownTaint'; readonly taints: readonly Taint[] }

const NONE: CloudAction = { kind: 'none' }

/** A provider is asked only about nodes that are not Ready: healthy machines prove themselves. */
export function needsAnswer(node: Node): boolean {
  return readyOf(node)?.status !== 'True'
}

function instanceOf({ metadata, spec }: Node): InstanceRef {
  return spec?.providerID ? { providerID: spec.providerID } : { name: metadata.name ?? '' }
}

/** No provider, no answer and an error are all `unknown`. */
export async function askCloud(
  cloud: CloudInstances | undefined,
  node: Node,
): Promise<CloudAnswer> {
  if (!cloud) return 'unknown'
  try {
    return await cloud.find(instanceOf(node))
  } catch {
    // A failed call is no evidence about the machine. The next round asks again.
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

/** Told before the deletion, and again with the reason when it failed. */
export function deletionEvent(node: KnownNode, failure?: string): EventDraft {
  const { name } = node.key
  const about = {
    source: { component: 'cloud-node-lifecycle-controller' },
    involvedObject: nodeReference(node),
  }
  if (failure === undefined) {
    const message = `Deleting node ${name} because it does not exist in the cloud provider`
    return { ...about, type: 'Normal', reason: 'DeletingNode', message }
  }
  const message = `Failed deleting node ${name}: ${failure}`
  return { ...about, type: 'Warning', reason: 'DeletingNodeFailed', message }
}

/** How does a host register? POST; if its Node exists already, read it and patch what differs. */
import type { Node } from '../../shared/kube/objects.ts'
import {
  mergePatch,
  nodePath,
  nodeStatusPath,
  outcomeOf,
  type ServiceClient,
  type ServiceResponse,
  strategicMergePatch,
} from '../client.ts'
import { statusPatch } from '../status/patch.ts'
import { LEFT_ANNOTATION, reconcileNode } from './node-object.ts'

type Registered =
  | { readonly kind: 'registered'; readonly node: Node; readonly isNew: boolean }
  | { readonly kind: 'failed'; readonly response: ServiceResponse }

/** A wait comes before the first attempt, too: 0.1, 0.2 ... 6.4, 7, 7 s. */
export const registrationWaitMs = (attempt: number): number =>
  Math.min(100 * 2 ** (attempt - 1), 7_000)

/** One attempt. Forbidden is not final: a host may read a Node that it may not create. */
export async function registerNode(client: ServiceClient, wanted: Node): Promise<Registered> {
  const created = await client.send({ method: 'POST', path: '/api/v1/nodes', body: wanted })
  const outcome = outcomeOf(created)
  if (outcome === 'ok') return { kind: 'registered', node: created.body as Node, isNew: true }
  if (outcome !== 'alreadyExists' && outcome !== 'forbidden') {
    return { kind: 'failed', response: created }
  }
  const found = await client.send({ method: 'GET', path: nodePath(wanted.metadata.name ?? '') })
  // Neither may be created nor read: the first response is the one worth showing.
  if (outcomeOf(found) !== 'ok') {
    return { kind: 'failed', response: outcome === 'forbidden' ? created : found }
  }
  return patchExisting(client, found.body as Node, wanted)
}

async function patchExisting(
  client: ServiceClient,
  existing: Node,
  wanted: Node,
): Promise<Registered> {
  const target = reconcileNode(existing, wanted)
  const known = { kind: 'registered', isNew: false } as const
  if (target === existing) return { ...known, node: existing }
  const path = nodeStatusPath(wanted.metadata.name ?? '')
  const patched = await client.send(strategicMergePatch(path, statusPatch(existing, target)))
  if (outcomeOf(patched) !== 'ok') return { kind: 'failed', response: patched }
  return { ...known, node: patched.body as Node }
}

/** Undoes the cordon that `--leave` made, and no other: only that one carries the annotation. */
export async function undoLeave(
  client: ServiceClient,
  node: Node,
): Promise<ServiceResponse | undefined> {
  if (node.metadata.annotations?.[LEFT_ANNOTATION] === undefined) return undefined
  const metadata = { annotations: { [LEFT_ANNOTATION]: null } }
  const path = nodePath(node.metadata.name ?? '')
  return client.send(mergePatch(path, { metadata, spec: { unschedulable: null } }))
}

/**
 * How does a host come to be known? POST; if it is known already, read it and put right what
 * differs.
 */
import type { Node } from '../shared/kube/objects.ts'
import { type Answer, type Client, outcomeOf } from './client.ts'
import { LEFT_ANNOTATION, reconciled } from './node-content.ts'
import { STRATEGIC_MERGE, statusPatch, statusPath } from './status-patch.ts'

export type Registered =
  | { readonly kind: 'registered'; readonly node: Node; readonly isNew: boolean }
  | { readonly kind: 'failed'; readonly answer: Answer }

export const nodePath = (name: string) => `/api/v1/nodes/${encodeURIComponent(name)}`

/**
 * One attempt. Forbidden is no end: a node that exists may be read by those who may not create it.
 */
export async function register(client: Client, wanted: Node): Promise<Registered> {
  const created = await client.send({ method: 'POST', path: '/api/v1/nodes', body: wanted })
  const outcome = outcomeOf(created)
  if (outcome === 'ok') return { kind: 'registered', node: created.body as Node, isNew: true }
  if (outcome !== 'alreadyExists' && outcome !== 'forbidden') {
    return { kind: 'failed', answer: created }
  }
  const found = await client.send({ method: 'GET', path: nodePath(wanted.metadata.name ?? '') })
  // Told to create and not to read: the first answer is the one worth showing.
  if (outcomeOf(found) !== 'ok') {
    return { kind: 'failed', answer: outcome === 'forbidden' ? created : found }
  }
  return putRight(client, found.body as Node, wanted)
}

async function putRight(client: Client, existing: Node, wanted: Node): Promise<Registered> {
  const target = reconciled(existing, wanted)
  const known = { kind: 'registered', isNew: false } as const
  if (target === existing) return { ...known, node: existing }
  const patched = await client.send({
    method: 'PATCH',
    path: statusPath(wanted.metadata.name ?? ''),
    body: statusPatch(existing, target),
    contentType: STRATEGIC_MERGE,
  })
  if (outcomeOf(patched) !== 'ok') return { kind: 'failed', answer: patched }
  return { ...known, node: patched.body as Node }
}

/** Undoes the cordon that `--leave` made, and no other: only ours carries the annotation. */
export async function comeBack(client: Client, node: Node): Promise<Answer | undefined> {
  if (node.metadata.annotations?.[LEFT_ANNOTATION] === undefined) return undefined
  return client.send({
    method: 'PATCH',
    path: nodePath(node.metadata.name ?? ''),
    body: {
      metadata: { annotations: { [LEFT_ANNOTATION]: null } },
      spec: { unschedulable: null },
    },
    contentType: 'application/merge-patch+json',
  })
}

/**
 * A fleet written straight into the store: thousands over HTTP would take the test's whole time.
 */
import { randomUUID } from 'node:crypto'
import { nodes } from '../../shared/kube/resources/nodes.ts'
import { formatTime } from '../../shared/kube/time.ts'
import type { Step, Store } from '../../shared/store/ports.ts'

// A transaction takes a hundred steps; fewer leave room for what each of them brings along.
const TOGETHER = 50

export async function seedNodes(store: Store, count: number, nowMs: number): Promise<void> {
  const steps = Array.from({ length: count }, (_, at) => creationOf(nodeName(at), nowMs))
  for (let at = 0; at < count; at += TOGETHER) {
    const outcome = await store.commit(steps.slice(at, at + TOGETHER))
    if (outcome.kind !== 'committed') throw new Error('somebody else writes nodes here')
  }
}

export const nodeName = (at: number): string => `node-${String(at).padStart(5, '0')}`

function creationOf(name: string, nowMs: number): Step {
  const metadata = { name, uid: randomUUID(), creationTimestamp: formatTime(nowMs) }
  const bare = { apiVersion: 'v1', kind: 'Node', metadata }
  const object = nodes.prepareForCreate(nodes.withDefaults(bare))
  return { do: 'createObject', resource: 'nodes', object, fields: nodes.selectable(object) }
}

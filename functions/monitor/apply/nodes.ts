/** What is written on nodes: silence, taints, labels. */
import type { Action } from '../../../shared/lifecycle/world.ts'
import { nodeLeaseNamespace } from '../../../shared/store/lease-state.ts'
import type { Step } from '../../../shared/store/ports.ts'
import { type Applying, replaced, replaceNode, settle } from './applying.ts'
import { inChunks, runPool } from './pool.ts'
import { note, zoneWish } from './records.ts'
import { count } from './tally.ts'
import { commitTogether, type Wish } from './together.ts'

type Mark = Extract<Action, { readonly do: 'markUnknown' }>
type Update = Extract<Action, { readonly do: 'updateNode' }>
type Taint = Extract<Action, { readonly do: 'taintNoExecute' }>

/** Two items each, a hundred to a transaction. */
const TOGETHER = 50

/** Returns the names of those that were marked: a beat that was faster has saved the others. */
export async function markUnknown(
  applying: Applying,
  marks: readonly Mark[],
): Promise<ReadonlySet<string>> {
  const marked = new Set<string>()
  const jobs = inChunks(marks, TOGETHER).map((chunk) => async () => {
    const wishes = chunk.map((mark) => markWish(applying, mark))
    for (const fate of await commitTogether(applying.deps.store, wishes)) {
      if (!settle(applying, 'markUnknown', fate)) continue
      const { mark, step } = fate.of
      applying.nodes.put(replaced(step, fate.versions[1]!))
      applying.tally.markLagsMs.push(applying.deps.clock() - mark.deadlineMs)
      marked.add(mark.node.key.name)
    }
  })
  applying.tally.unfinished += await runPool(jobs, applying)
  return marked
}

function markWish({ nowMs }: Applying, mark: Mark) {
  const step = replaceNode(mark.node, mark.next)
  return { of: { mark, step }, steps: [leaseStep(mark, nowMs), step] }
}

/** The first beat of a host beats the verdict that it never came, as any other beat does. */
function leaseStep({ node, lease }: Mark, declaredAtMs: number): Step {
  const key = { namespace: nodeLeaseNamespace, name: node.key.name }
  if (lease === 'none') return { do: 'confirmNoLease', key }
  return { do: 'declareSilent', lease: { key, version: lease.version }, declaredAtMs }
}

export async function updateNodes(
  applying: Applying,
  updates: readonly Pick<Update, 'node' | 'next'>[],
  deed: 'updateNode' | 'held' | 'podCidrs' | 'cloud' = 'updateNode',
): Promise<void> {
  const jobs = inChunks(updates, TOGETHER).map((chunk) => async () => {
    const wishes = chunk.map(({ node, next }) => {
      const step = replaceNode(node, next)
      return { of: step, steps: [step] }
    })
    for (const fate of await commitTogether(applying.deps.store, wishes)) {
      if (!settle(applying, deed, fate)) continue
      applying.nodes.put(replaced(fate.of, fate.versions[0]!))
    }
  })
  applying.tally.unfinished += await runPool(jobs, applying)
}

/** Each builds on the bucket the one before left behind, so a zone's are written one by one. */
export async function taintNodes(applying: Applying, taints: readonly Taint[]): Promise<void> {
  const byZone = Map.groupBy(taints, ({ zone }) => zone.key)
  const jobs = [...byZone.values()].map((its) => async () => {
    for (const taint of its) {
      if (applying.isOver()) applying.tally.unfinished++
      else if (!applying.books.lostZones.has(taint.zone.key)) await taintNode(applying, taint)
    }
  })
  applying.tally.unfinished += await runPool(jobs, applying)
}

async function taintNode(applying: Applying, { node, next, zone }: Taint): Promise<void> {
  const record = zoneWish(applying, zone)
  const step = replaceNode(node, next)
  const wish: Wish<string> = { of: zone.key, steps: [...record.steps, step] }
  const { fleet } = applying.books
  // So that a pause of the whole fleet holds from the moment it is written.
  const shared: Step[] = fleet ? [{ do: 'confirmObject', believed: fleet }] : []
  const [fate] = await commitTogether(applying.deps.store, [wish], shared)
  const isDone = settle(applying, 'taintNoExecute', fate!)
  // A node that was faster spends nothing, but those behind it were granted on top of its token.
  note(applying, record, isDone ? fate.versions[0]! : undefined)
  if (!isDone) return
  applying.nodes.put(replaced(step, fate.versions[1]!))
  count(applying.tally.tainted, zone.key)
}

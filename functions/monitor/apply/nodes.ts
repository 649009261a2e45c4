/** What is written on nodes: Unknown, taints, labels. */
import type { Action } from '../../../shared/lifecycle/world.ts'
import { nameOfZone } from '../../../shared/lifecycle/zones/zone-state.ts'
import { nodeLeaseNamespace } from '../../../shared/store/lease-state.ts'
import type { WriteStep } from '../../../shared/store/ports.ts'
import { noteWrite, zoneItem } from '../stored-state/write.ts'
import { type BatchItem, commitBatch, inChunks } from './commit-batch.ts'
import {
  type ApplyContext,
  BATCH_SIZE,
  commitCounted,
  countResult,
  replaceAll,
  replaced,
  replaceNode,
  runJobs,
} from './context.ts'

type Mark = Extract<Action, { readonly do: 'markUnknown' }>
type Update = Extract<Action, { readonly do: 'updateNode' }>
type Taint = Extract<Action, { readonly do: 'taintNoExecute' }>

/** Returns the names of those that were marked: a beat that was faster has saved the others. */
export async function markUnknown(
  context: ApplyContext,
  marks: readonly Mark[],
): Promise<ReadonlySet<string>> {
  const marked = new Set<string>()
  const jobs = inChunks(marks, BATCH_SIZE).map((chunk) => async () => {
    const items = chunk.map((mark) => markItem(context, mark))
    for (const result of await commitBatch(context.deps.store, items)) {
      const { mark, step } = result.of
      if (result.kind === 'outrun') context.outrunMarks.add(mark.node.key.name)
      if (!countResult(context, 'markUnknown', result)) continue
      context.nodes.put(replaced(step, result.versions[1]!))
      context.actionCounts.markLagsMs.push(context.deps.clock() - mark.deadlineMs)
      marked.add(mark.node.key.name)
    }
  })
  await runJobs(context, jobs)
  return marked
}

function markItem({ nowMs }: ApplyContext, mark: Mark) {
  const step = replaceNode(mark.node, mark.next, mark.emits)
  return { of: { mark, step }, steps: [leaseStep(mark, nowMs), step] }
}

/** A first beat outruns the mark of a host that never reported, as any other beat does. */
function leaseStep({ node, lease }: Mark, declaredAtMs: number): WriteStep {
  const key = { namespace: nodeLeaseNamespace, name: node.key.name }
  if (lease === 'none') return { do: 'confirmNoLease', key }
  return { do: 'declareSilent', lease: { key, version: lease.version }, declaredAtMs }
}

export async function updateNodes(
  context: ApplyContext,
  updates: readonly Pick<Update, 'node' | 'next'>[],
  action = 'updateNode',
): Promise<void> {
  const steps = updates.map(({ node, next }) => replaceNode(node, next))
  await replaceAll(context, action, steps, context.nodes)
}

/** Each builds on the bucket the one before left behind, so a zone's are written one by one. */
export async function taintNodes(context: ApplyContext, taints: readonly Taint[]): Promise<void> {
  const byZone = Map.groupBy(taints, ({ zone }) => zone.key)
  const jobs = [...byZone.values()].map((its) => async () => {
    for (const taint of its) {
      if (context.isOver()) context.actionCounts.unfinished++
      else if (!context.state.staleZones.has(taint.zone.key)) await taintNode(context, taint)
    }
  })
  await runJobs(context, jobs)
}

async function taintNode(context: ApplyContext, taint: Taint): Promise<void> {
  const { node, next, zone, emits } = taint
  const record = zoneItem(context, zone)
  const step = replaceNode(node, next, emits)
  const item: BatchItem<string> = { of: zone.key, steps: [...record.steps, step] }
  const { fleet } = context.state
  // So that a pause of the whole fleet holds from the moment it is written.
  const shared: WriteStep[] = fleet ? [{ do: 'confirmObject', believed: fleet }] : []
  const [done] = await commitCounted(context, 'taintNoExecute', [item], shared)
  // An outrun taint spends no token, but those behind it were granted on top of its token.
  noteWrite(context, record, done?.versions[0])
  if (!done) return
  context.nodes.put(replaced(step, done.versions[1]!))
  const labels = { zone: nameOfZone(zone.key) }
  context.actionCounts.counters.push({ name: 'node_collector_evictions_total', labels })
}

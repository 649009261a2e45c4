/**
 * Does what was decided, in an order in which nothing waits for what it does not rest on: records
 * first, then nodes, then pods. Whatever is left undone is decided anew by the next tick.
 */
import type { Action } from '../../../shared/lifecycle/world.ts'
import { dropZone, writeDisruption, writeFleet, writeZone } from '../stored-state/write.ts'
import { type ApplyContext, replacePods } from './context.ts'
import { markUnknown, taintNodes, updateNodes } from './nodes.ts'
import { evictPods } from './pods.ts'

export async function apply(context: ApplyContext, actions: readonly Action[]): Promise<void> {
  const sorted = sort(actions)
  // Few and small, and everything else rests on them: one after the other.
  for (const action of sorted.enterDisruption) await writeDisruption(context, action)
  for (const action of sorted.leaveDisruption) await writeDisruption(context, action)
  for (const { fleet } of sorted.changeFleet) await writeFleet(context, fleet)
  for (const { zone } of sorted.zoneChanged) await writeZone(context, zone)
  for (const { key } of sorted.dropZone) await dropZone(context, key)

  const marked = await markUnknown(context, sorted.markUnknown)
  await updateNodes(
    context,
    sorted.updateNode.filter((update) => mayUpdate(context, update)),
  )
  if (!context.state.isFleetStale) await taintNodes(context, sorted.taintNoExecute)

  const notReady = sorted.markPodsNotReady
    .filter(({ node, onlyIfMarked }) => !onlyIfMarked || marked.has(node))
    .flatMap(({ pods }) => pods)
  await replacePods(context, 'markPodsNotReady', notReady)
  await evictPods(context, sorted.evictPod)
  const changesOf = (list: readonly Of<'setPodDue' | 'cancelPodDue'>[]) =>
    list.map(({ change }) => change)
  await replacePods(context, 'cancelPodDue', changesOf(sorted.cancelPodDue))
  await replacePods(context, 'setPodDue', changesOf(sorted.setPodDue))
}

/** Taints are stripped only when the fleet's stored record says so; healing rests on no record. */
function mayUpdate({ state }: ApplyContext, { why }: Of<'updateNode'>): boolean {
  return !state.isFleetStale || !why.includes('disruption')
}

type Of<Kind extends Action['do']> = Extract<Action, { readonly do: Kind }>
type Sorted = { [Kind in Action['do']]: Of<Kind>[] }

function sort(actions: readonly Action[]): Sorted {
  const sorted: Sorted = {
    markUnknown: [],
    updateNode: [],
    taintNoExecute: [],
    zoneChanged: [],
    dropZone: [],
    enterDisruption: [],
    leaveDisruption: [],
    changeFleet: [],
    markPodsNotReady: [],
    evictPod: [],
    setPodDue: [],
    cancelPodDue: [],
  }
  for (const action of actions) (sorted[action.do] as Action[]).push(action)
  return sorted
}

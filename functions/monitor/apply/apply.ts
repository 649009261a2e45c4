/**
 * Does what was decided, in an order in which nothing waits for what it does not rest on: records
 * first, then nodes, then pods. Whatever is left undone is decided anew by the next tick.
 */
import type { Action } from '../../../shared/lifecycle/world.ts'
import type { Applying } from './applying.ts'
import { dropLeases } from './leases.ts'
import { markUnknown, taintNodes, updateNodes } from './nodes.ts'
import { changePods, collectPods, evictPods } from './pods.ts'
import { dropZone, turnFleet, writeFleet, writeZone } from './records.ts'

export async function apply(applying: Applying, actions: readonly Action[]): Promise<void> {
  const sorted = sort(actions)
  // Few and small, and everything else rests on them: one after the other.
  for (const action of sorted.enterDisruption) await turnFleet(applying, action)
  for (const action of sorted.leaveDisruption) await turnFleet(applying, action)
  for (const action of sorted.changeFleet) await writeFleet(applying, action)
  for (const action of sorted.zoneChanged) await writeZone(applying, action)
  for (const action of sorted.dropZone) await dropZone(applying, action)

  const marked = await markUnknown(applying, sorted.markUnknown)
  await updateNodes(
    applying,
    sorted.updateNode.filter((update) => mayUpdate(applying, update)),
  )
  if (!applying.books.isFleetLost) await taintNodes(applying, sorted.taintNoExecute)

  const notReady = sorted.markPodsNotReady
    .filter(({ node, onlyIfMarked }) => !onlyIfMarked || marked.has(node))
    .flatMap(({ pods }) => pods)
  await changePods(applying, 'markPodsNotReady', notReady)
  await evictPods(applying, sorted.evictPod)
  await changePods(
    applying,
    'cancelPodDue',
    sorted.cancelPodDue.map(({ change }) => change),
  )
  await changePods(
    applying,
    'setPodDue',
    sorted.setPodDue.map(({ change }) => change),
  )
  await collectPods(applying, sorted.deletePod)
  await dropLeases(applying, sorted.dropLease)
}

/** Taints are stripped only on the strength of a record that says so; healing asks for none. */
function mayUpdate({ books }: Applying, { why }: Extract<Action, { do: 'updateNode' }>): boolean {
  return !books.isFleetLost || !why.includes('disruption')
}

type Sorted = { [Kind in Action['do']]: Extract<Action, { readonly do: Kind }>[] }

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
    deletePod: [],
    dropLease: [],
    event: [],
  }
  for (const action of actions) (sorted[action.do] as Action[]).push(action)
  return sorted
}

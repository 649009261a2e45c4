/** The pods of a silent host are not ready, whatever they last said of themselves. */
import type { Node, Pod } from '../kube/objects.ts'
import { formatTime } from '../kube/time.ts'
import { readyOf } from './conditions.ts'
import { podNodeNotReady } from './events.ts'
import type { Action, KnownPod, PodChange } from './world.ts'

/**
 * Those that still call themselves ready. What has no PodReady condition, or is not ready, is left
 * alone.
 */
export function podsToMark(pods: readonly KnownPod[], nowMs: number): readonly PodChange[] {
  const changes: PodChange[] = []
  for (const pod of pods) {
    const next = markedNotReady(pod.object, nowMs)
    if (next) changes.push({ pod, next, events: [podNodeNotReady(pod.object)] })
  }
  return changes
}

/**
 * Of the pods that were to be marked, those that are still owed it: asked for again in the next
 * tick, even if their host reports by then that it is not ready. Without this a host that came back
 * ill in time would keep pods that call themselves ready.
 */
export function podsOwed(
  actions: readonly Action[],
  now: {
    readonly pod: (pod: KnownPod) => KnownPod | undefined
    readonly node: (name: string) => Node | undefined
  },
): readonly KnownPod[] {
  const owed: KnownPod[] = []
  for (const action of actions) {
    if (action.do !== 'markPodsNotReady') continue
    const node = now.node(action.node)
    // A host whose mark was outrun was not silent after all.
    if (!node || (action.onlyIfMarked && readyOf(node)?.status !== 'Unknown')) continue
    for (const change of action.pods) {
      const pod = now.pod(change.pod)
      if (pod?.uid === change.pod.uid && callsItselfReady(pod.object)) owed.push(pod)
    }
  }
  return owed
}

const callsItselfReady = ({ status }: Pod): boolean => {
  const ready = status?.conditions?.find(({ type }) => type === 'Ready')
  return ready !== undefined && ready.status !== 'False'
}

/** Reason and message stay: they are the host's, and it may come back for them. */
function markedNotReady(pod: Pod, nowMs: number): Pod | undefined {
  if (!callsItselfReady(pod)) return undefined
  const conditions = pod.status?.conditions ?? []
  const at = conditions.findIndex((condition) => condition.type === 'Ready')
  const { generation } = pod.metadata
  const observed = generation === undefined ? {} : { observedGeneration: generation }
  const marked = {
    ...conditions[at]!,
    status: 'False',
    lastTransitionTime: formatTime(nowMs),
    ...observed,
  } as const
  return { ...pod, status: { ...pod.status, ...observed, conditions: conditions.with(at, marked) } }
}

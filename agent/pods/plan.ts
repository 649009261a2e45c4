/** What is to be done about the pods of this host? Pure: listed, tracked and busy pods go in. */
import type { Pod } from '../../shared/kube/objects.ts'

export interface TrackedPod {
  readonly pod: Pod
  /**
   * `attempted`: its start has not succeeded, or not yet, and may have left something running.
   * `gone`: stopped and confirmed, though a lagging index may still list it.
   */
  readonly state: 'attempted' | 'started' | 'stopped' | 'gone'
}

export const mayRun = ({ state }: TrackedPod): boolean =>
  state === 'attempted' || state === 'started'

export type PodAction =
  | { readonly kind: 'start'; readonly pod: Pod }
  /** Being deleted: stop it, then confirm. */
  | { readonly kind: 'stop'; readonly pod: Pod }
  /** Stopped before; only the confirmation is missing. */
  | { readonly kind: 'confirm'; readonly pod: Pod }
  /** No longer listed. The index may lag, so the pod is read before it is stopped. */
  | { readonly kind: 'stopIfGone'; readonly pod: Pod }

export const uidOf = (pod: Pod): string => pod.metadata.uid ?? ''

const isFinished = (pod: Pod) => pod.status?.phase === 'Succeeded' || pod.status?.phase === 'Failed'

export function planPods(
  listed: readonly Pod[],
  tracked: ReadonlyMap<string, TrackedPod>,
  busy: ReadonlySet<string>,
): readonly PodAction[] {
  const here = new Set(listed.map(uidOf))
  const vanished = [...tracked.values()].filter(
    (each) => mayRun(each) && !here.has(uidOf(each.pod)),
  )
  const wanted = listed.flatMap((pod) => actionFor(pod, tracked.get(uidOf(pod))?.state))
  // Stops first: another host may be waiting for them.
  const actions = [
    ...wanted.filter(({ kind }) => kind !== 'start'),
    ...vanished.map(({ pod }) => ({ kind: 'stopIfGone', pod }) as const),
    ...wanted.filter(({ kind }) => kind === 'start'),
  ]
  return actions.filter(({ pod }) => !busy.has(uidOf(pod)))
}

/** Uids that need not be tracked any longer. */
export function forgettable(
  listed: readonly Pod[],
  tracked: ReadonlyMap<string, TrackedPod>,
): readonly string[] {
  const here = new Set(listed.map(uidOf))
  return [...tracked].flatMap(([uid, { state }]) =>
    state === 'gone' && !here.has(uid) ? [uid] : [],
  )
}

function actionFor(pod: Pod, state: TrackedPod['state'] | undefined): readonly PodAction[] {
  if (state === 'gone') return []
  if (pod.metadata.deletionTimestamp) {
    return [{ kind: state === 'stopped' ? 'confirm' : 'stop', pod }]
  }
  return state === 'started' || isFinished(pod) ? [] : [{ kind: 'start', pod }]
}

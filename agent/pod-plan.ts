/**
 * What is to be done about the pods of this host? Pure: what is listed, what we know, what is under
 * way.
 */
import type { Pod } from '../shared/kube/objects.ts'

export interface KnownPod {
  readonly pod: Pod
  /**
   * `attempted`: its start has not succeeded, or not yet, and may have left something running.
   * `gone`: stopped and confirmed, though a lagging index may still list it.
   */
  readonly state: 'attempted' | 'started' | 'stopped' | 'gone'
}

export const mayRun = ({ state }: KnownPod): boolean => state === 'attempted' || state === 'started'

export type PodAction =
  | { readonly kind: 'start'; readonly pod: Pod }
  /** Asked to end: stop it, then confirm. */
  | { readonly kind: 'stop'; readonly pod: Pod }
  /** Stopped before; only the confirmation is owed. */
  | { readonly kind: 'confirm'; readonly pod: Pod }
  /** No longer listed. An index may lag, so look before stopping. */
  | { readonly kind: 'lookThenStop'; readonly pod: Pod }

export const uidOf = (pod: Pod): string => pod.metadata.uid ?? ''

const isFinished = (pod: Pod) => pod.status?.phase === 'Succeeded' || pod.status?.phase === 'Failed'

export function planPods(
  listed: readonly Pod[],
  known: ReadonlyMap<string, KnownPod>,
  busy: ReadonlySet<string>,
): readonly PodAction[] {
  const here = new Set(listed.map(uidOf))
  const vanished = [...known.values()].filter((each) => mayRun(each) && !here.has(uidOf(each.pod)))
  const wanted = listed.flatMap((pod) => actionFor(pod, known.get(uidOf(pod))?.state))
  // Ends first: another host may be waiting for them.
  const actions = [
    ...wanted.filter(({ kind }) => kind !== 'start'),
    ...vanished.map(({ pod }) => ({ kind: 'lookThenStop', pod }) as const),
    ...wanted.filter(({ kind }) => kind === 'start'),
  ]
  return actions.filter(({ pod }) => !busy.has(uidOf(pod)))
}

/** What need not be remembered any longer. */
export function forgettable(
  listed: readonly Pod[],
  known: ReadonlyMap<string, KnownPod>,
): readonly string[] {
  const here = new Set(listed.map(uidOf))
  return [...known].flatMap(([uid, { state }]) => (state === 'gone' && !here.has(uid) ? [uid] : []))
}

function actionFor(pod: Pod, state: KnownPod['state'] | undefined): readonly PodAction[] {
  if (state === 'gone') return []
  if (pod.metadata.deletionTimestamp) {
    return [{ kind: state === 'stopped' ? 'confirm' : 'stop', pod }]
  }
  return state === 'started' || isFinished(pod) ? [] : [{ kind: 'start', pod }]
}

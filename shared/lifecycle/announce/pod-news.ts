/**
 * Was this pod evicted? Whoever makes a pod leave against its will says so in its DisruptionTarget
 * condition, in the write before the object may vanish. A plain deletion is its owner's own doing.
 */
import type { Pod } from '../../kube/objects.ts'
import { disruptionOf } from '../pod-condition.ts'
import type { News } from './domain-event.ts'

export function podNews(before: Pod | undefined, after: Pod | undefined): readonly News[] {
  const reason = after && whyItGoes(after)
  if (!after || reason === undefined || reason === (before && whyItGoes(before))) return []
  const { deletionTimestamp, deletionGracePeriodSeconds: gracePeriodSeconds } = after.metadata
  const change = {
    node: after.spec?.nodeName ?? '',
    ...(deletionTimestamp && { deletionTime: deletionTimestamp }),
    ...(gracePeriodSeconds !== undefined && { gracePeriodSeconds }),
  }
  const message = disruptionOf(after)?.message
  return [{ type: 'PodEvicted', change, reason, ...(message && { message }) }]
}

/** Empty where it is not said; undefined for a pod that nobody makes go. */
function whyItGoes(pod: Pod): string | undefined {
  const target = disruptionOf(pod)
  return target && (target.reason ?? '')
}

/**
 * Was this pod evicted? Whoever makes a pod leave against its will says so in its DisruptionTarget
 * condition, in the write before the object may vanish. A plain deletion is its owner's own doing.
 */
import type { Pod } from '../../kube/objects.ts'
import type { News } from './domain-event.ts'

export function podNews(before: Pod | undefined, after: Pod | undefined): readonly News[] {
  const target = after && disruptionOf(after)
  if (!after || !target || target.reason === (before && disruptionOf(before))?.reason) return []
  const { deletionTimestamp, deletionGracePeriodSeconds: gracePeriodSeconds } = after.metadata
  const change = {
    node: after.spec?.nodeName ?? '',
    ...(deletionTimestamp && { deletionTime: deletionTimestamp }),
    ...(gracePeriodSeconds !== undefined && { gracePeriodSeconds }),
  }
  const { reason, message } = target
  return [{ type: 'PodEvicted', change, reason, ...(message && { message }) }]
}

function disruptionOf(
  pod: Pod,
): { readonly reason: string; readonly message?: string } | undefined {
  const found = pod.status?.conditions?.find(({ type }) => type === 'DisruptionTarget')
  if (found?.status !== 'True') return undefined
  const { reason = '', message } = found
  return { reason, ...(message && { message }) }
}

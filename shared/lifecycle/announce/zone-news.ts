/** What is worth telling about a zone? That its state changed. A zone nobody knew was Initial. */
import type { Zone } from '../../kube/resources/zones.ts'
import type { News } from './domain-event.ts'

export function zoneNews(before: Zone | undefined, after: Zone | undefined): readonly News[] {
  // An empty zone that is forgotten was Initial before.
  if (!after) return []
  const from = before?.status?.state ?? 'Initial'
  const { state: to = 'Initial', nodes, notReady } = after.status ?? {}
  if (from === to) return []
  const change = {
    from,
    to,
    ...(nodes !== undefined && { nodes }),
    ...(notReady !== undefined && { notReady }),
  }
  return [{ type: 'ZoneStateChanged', change }]
}

/** What is worth telling about a zone? That its state changed. A zone nobody knew was Initial. */
import type { KubeObject } from '../../kube/objects.ts'
import type { ZoneState } from '../zone-state.ts'
import type { News } from './domain-event.ts'

/** The little that is read here of what the monitor stores. */
export interface ZoneView extends KubeObject {
  readonly status?: {
    readonly state?: ZoneState
    readonly size?: number
    /** How the zone's page calls its size. */
    readonly nodes?: number
    readonly notReady?: number
  }
}

export function zoneNews(
  before: ZoneView | undefined,
  after: ZoneView | undefined,
): readonly News[] {
  // An empty zone that is forgotten was Initial before.
  if (!after) return []
  const from = before?.status?.state ?? 'Initial'
  const { state: to = 'Initial', size, nodes = size, notReady } = after.status ?? {}
  if (from === to) return []
  const change = {
    from,
    to,
    ...(nodes !== undefined && { nodes }),
    ...(notReady !== undefined && { notReady }),
  }
  return [{ type: 'ZoneStateChanged', change }]
}

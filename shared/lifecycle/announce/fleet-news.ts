/**
 * What is worth telling about the fleet? That everything seems to be down, and that we cannot see.
 */
import type { Fleet } from '../../kube/resources/fleets.ts'
import { formatMicroTime } from '../../kube/time.ts'
import { type Interval, openInterval } from '../blindness.ts'
import type { FleetRecord } from '../world.ts'
import type { News } from './domain-event.ts'

/** What people are shown beside it is made of this, and says less. */
const recordOf = (fleet: Fleet | undefined): Partial<FleetRecord> => fleet?.status?.record ?? {}

export function fleetNews(before: Fleet | undefined, after: Fleet | undefined): readonly News[] {
  if (!after) return []
  const [old, now] = [recordOf(before), recordOf(after)]
  return [...disruptionNews(old, now), ...blindNews(old.blind ?? [], now.blind ?? [])]
}

/** Entering and entered are one: the second only says that the first is finished. */
function disruptionNews(old: Partial<FleetRecord>, now: Partial<FleetRecord>): readonly News[] {
  const [was, is] = [isDisrupted(old), isDisrupted(now)]
  if (was === is) return []
  if (is) return [{ type: 'FleetDisruptionEntered', change: since(now) }]
  const change = {
    ...since(old),
    ...(now.floorMs !== undefined && { clocksFromTime: timeOf(now.floorMs) }),
  }
  return [{ type: 'FleetDisruptionLeft', change }]
}

const isDisrupted = ({ disruption = 'none' }: Partial<FleetRecord>) => disruption !== 'none'

const since = ({ disruptionSinceMs }: Partial<FleetRecord>) =>
  disruptionSinceMs === undefined ? {} : { sinceTime: timeOf(disruptionSinceMs) }

function blindNews(old: readonly Interval[], now: readonly Interval[]): readonly News[] {
  const [was, is] = [openInterval(old), openInterval(now)]
  if (!was && is) {
    return [{ type: 'BlindEntered', change: { sinceTime: timeOf(is.fromMs) }, message: is.why }]
  }
  if (!was || is) return []
  const untilMs = now.at(-1)?.untilMs
  const change = {
    sinceTime: timeOf(was.fromMs),
    ...(untilMs !== undefined && { untilTime: timeOf(untilMs) }),
  }
  return [{ type: 'BlindLeft', change, message: was.why }]
}

const timeOf = (ms: number) => formatMicroTime(ms * 1000)

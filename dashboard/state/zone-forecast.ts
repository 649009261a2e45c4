/** What happens next in a zone, and what keeps it from happening? */
import { openInterval } from '../../shared/lifecycle/liveness/visibility.ts'
import { nextGrantMs } from '../../shared/lifecycle/zones/limiter.ts'
import { pausedBecause, type ReportedFleet } from './fleet-objects.ts'
import { amount, span, until } from './format.ts'
import type { ZoneView } from './zone-view.ts'

interface ZoneForecast {
  readonly tone: 'calm' | 'held' | 'moving'
  readonly text: string
}

export function forecastZone(
  view: ZoneView,
  fleet: ReportedFleet | undefined,
  nowMs: number,
): ZoneForecast {
  const waiting = view.counts.unknown + view.counts.notReady
  const held = heldIn(view, fleet)
  if (held) return { tone: 'held', text: held }
  const limiter = view.zone?.status?.record?.limiter
  if (!limiter) return { tone: 'calm', text: 'The monitor has not judged this zone yet.' }
  if (limiter.stopped) return { tone: 'held', text: 'Evictions are stopped in this zone.' }

  const pace = paceOf(limiter.rate)
  if (waiting > 0) {
    const next = until(nextGrantMs(limiter, nowMs), nowMs)
    const who = amount(waiting, 'node')
    return { tone: 'moving', text: `${who} to be evicted: the next ${next}, then ${pace}.` }
  }
  const { evicting } = view.counts
  if (evicting === 0) return { tone: 'calm', text: `No evictions are due (at most ${pace}).` }
  const whose = amount(evicting, 'node')
  return { tone: 'moving', text: `The pods of ${whose} are deleted when their time is up.` }
}

const paceOf = (rate: number): string =>
  rate > 1 ? `${Number(rate.toFixed(1))} a second` : `one every ${span(1000 / rate)}`

/** The first reason that stops everything; the others would not matter until it is gone. */
function heldIn({ zone }: ZoneView, fleet: ReportedFleet | undefined): string | undefined {
  const { status } = fleet ?? {}
  if (status?.blind) return 'Nobody is evicted: the monitor doubts what it sees.'
  if (pausedBecause(fleet) !== undefined) return 'Evictions are paused everywhere.'
  const paused = pausedBecause(zone)
  if (paused !== undefined) return `Evictions are paused here: ${paused || 'no reason given'}.`
  if (openInterval(zone?.status?.record?.stops ?? [])) return 'Evictions are being resumed.'
  if (status?.disruption && status.disruption !== 'none')
    return 'Evictions are stopped: every zone is down at once.'
  if (status?.mode === 'observe') return 'Observe mode: nobody is evicted.'
  return undefined
}

/** One zone: its state, what happens next in it, and its nodes. */
import { parseTimeMs } from '../../shared/kube/time.ts'
import { fleetFeatures } from '../features.ts'
import { useFleetStatus } from '../page/fleet-status.ts'
import { ZoneLink } from '../page/link.tsx'
import { PauseSwitch } from '../page/pause-switch.tsx'
import { useNow } from '../page/use-now.ts'
import { pausedBecause, type ReportedZone } from '../state/fleet-objects.ts'
import { grouped, percent, span } from '../state/format.ts'
import { forecastZone } from '../state/zone-forecast.ts'
import { badOf, unmarkedOf, type ZoneView } from '../state/zone-view.ts'
import type { ZonePictureProps } from './fleet-feature.ts'

export function ZoneCard({ view, matches }: ZonePictureProps) {
  const { name, title, zone, counts, nodes } = view
  const isPaused = pausedBecause(zone) !== undefined
  const bad = badOf(counts) + unmarkedOf(view, useFleetStatus().fleet)
  return (
    <section class={`zone ${zone?.status?.state ?? ''}`} aria-label={`Zone ${title}`}>
      <header>
        <h2>
          <ZoneLink name={name} title={title} />
        </h2>
        {zone && <PauseSwitch resource="zones" name={name} title={title} isPaused={isPaused} />}
      </header>
      <ZoneState zone={zone} />
      <Share bad={bad} total={nodes.length} zone={zone} />
      <ZoneForecastText view={view} />
      {fleetFeatures.map(
        ({ name, ZonePicture }) =>
          ZonePicture && <ZonePicture key={name} view={view} matches={matches} />,
      )}
    </section>
  )
}

/** A component of its own, so that its tick each second does not draw the nodes again. */
function ZoneForecastText({ view }: { readonly view: ZoneView }) {
  const { fleet } = useFleetStatus()
  const { tone, text } = forecastZone(view, fleet, useNow())
  return <p class={`forecast ${tone}`}>{text}</p>
}

const stateMeaning: Readonly<Record<string, string>> = {
  Initial: 'not judged yet',
  Normal: 'few enough nodes are down to evict at the usual rate',
  PartialDisruption: 'so many nodes are down that evictions are slowed or stopped',
  FullDisruption: 'no node of the zone is ready',
}

function ZoneState({ zone }: { readonly zone: ReportedZone | undefined }) {
  const nowMs = useNow()
  const { state = 'Initial', since } = zone?.status ?? {}
  const sinceMs = parseTimeMs(since ?? '')
  const isDisrupted = state !== 'Normal' && state !== 'Initial' && sinceMs !== undefined
  return (
    <p>
      <span class={`badge ${state}`} title={stateMeaning[state]}>
        {state}
      </span>
      {isDisrupted && ` for ${span(nowMs - sinceMs)}`}
    </p>
  )
}

interface ShareProps {
  readonly bad: number
  readonly total: number
  readonly zone: ReportedZone | undefined
}

/** How much is down, and the threshold from which the zone counts as disrupted. */
function Share({ bad, total, zone }: ShareProps) {
  const share = total === 0 ? 0 : bad / total
  const threshold = Number(zone?.status?.unhealthyThreshold)
  const hasThreshold = Number.isFinite(threshold) && threshold > 0
  const text = bad === 0 ? `${grouped(total)} ready` : `${grouped(bad)} of ${grouped(total)} down`
  return (
    <div class="share">
      <div class="track" aria-hidden="true">
        <div class="down" style={{ width: `${share * 100}%` }} />
        {hasThreshold && <div class="mark" style={{ left: `${threshold * 100}%` }} />}
      </div>
      <span>
        {text}
        {bad > 0 && `, ${percent(share)}`}
        {bad > 0 && hasThreshold && <span class="dim"> (disrupted from {percent(threshold)})</span>}
      </span>
    </div>
  )
}

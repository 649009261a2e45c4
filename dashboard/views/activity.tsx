/** What happened lately: the last hour of the fleet as a chart, and its Events. */
import type { Event } from '../../shared/kube/objects.ts'
import { paths } from '../api/paths.ts'
import { useFleetStatus } from '../page/fleet-status.ts'
import type { ViewRoute } from '../page/navigation.ts'
import { useNow } from '../page/use-now.ts'
import { useWatch } from '../page/use-watch.ts'
import { amount, clock } from '../state/format.ts'
import {
  areaPath,
  type Frame,
  type Sample,
  samplesUntilNow,
  sampleTotal,
  windowOf,
} from '../state/history.ts'
import { EventTimeline } from './event-timeline.tsx'

const POLL_MS = 5_000
/** A list is in the order of names, so a longer one would not show later Events. */
const MOST_EVENTS = 2_000

export const activityRoute: ViewRoute = {
  view: 'activity',
  title: () => 'Activity',
  menu: { view: 'activity' },
  View: ActivityView,
}

function ActivityView() {
  const path = `${paths.events}?limit=${MOST_EVENTS}`
  const events = useWatch<Event>({ path, watch: true, pollMs: POLL_MS })
  return (
    <>
      <h1 class="unseen">Activity</h1>
      <LastHour />
      <EventTimeline title="Events" events={events} />
    </>
  )
}

const size = { width: 1000, height: 140 }

/** From the bottom up, worst first. */
const layers: readonly (readonly [string, (sample: Sample) => readonly [number, number]])[] = [
  ['unknown', ({ unknown }) => [0, unknown]],
  ['notReady', ({ unknown, notReady }) => [unknown, unknown + notReady]],
  ['ready', (sample) => [sample.unknown + sample.notReady, sampleTotal(sample)]],
]

function LastHour() {
  const { fleet } = useFleetStatus()
  // There is a sample a minute; moving the chart every ten seconds is enough.
  const nowMs = useNow(10_000)
  const samples = fleet ? samplesUntilNow(fleet) : []
  const frame: Frame = { ...size, ...windowOf(samples, nowMs) }
  const spanMs = frame.toMs - frame.fromMs
  return (
    <section class="panel hour">
      <h2>Nodes in the last hour</h2>
      {samples.length === 0 ? (
        <p class="dim">The monitor takes a sample every minute; none is there yet.</p>
      ) : (
        <>
          <svg
            viewBox={`0 0 ${size.width} ${size.height}`}
            preserveAspectRatio="none"
            role="img"
            aria-label={summaryOf(samples)}
          >
            {layers.map(([name, between]) => (
              <path key={name} class={name} d={areaPath(samples, frame, between)} />
            ))}
          </svg>
          <div class="axis" aria-hidden="true">
            {[0, 0.25, 0.5, 0.75, 1].map((share) => (
              <span key={share}>{axisTime(frame.fromMs + share * spanMs, spanMs)}</span>
            ))}
          </div>
          <p class="dim">{summaryOf(samples)}</p>
        </>
      )}
    </section>
  )
}

/** With seconds while the ticks are less than minutes apart. */
const axisTime = (atMs: number, spanMs: number): string =>
  spanMs < 600_000 ? clock(atMs, atMs) : minute(atMs)

/** Hours and minutes. */
const minute = (atMs: number): string => clock(atMs, atMs).slice(0, 5)

function summaryOf(samples: readonly Sample[]): string {
  const worst = samples.reduce((a, b) => (b.unknown + b.notReady > a.unknown + a.notReady ? b : a))
  const bad = worst.unknown + worst.notReady
  if (bad === 0) return 'Every node was ready all the time.'
  const who = `${amount(bad, 'node was', 'nodes were')} not ready`
  return `At worst, at ${minute(worst.atMs)}, ${who} (${worst.unknown} Unknown).`
}

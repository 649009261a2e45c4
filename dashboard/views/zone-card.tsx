/** One zone: how it fares, what happens next in it, and every node of it. */

import { parseTimeMs } from '../../shared/kube/time.ts'
import { useStatus } from '../page/fleet-status.ts'
import { Link } from '../page/link.tsx'
import { PauseSwitch } from '../page/pause-switch.tsx'
import { useNow } from '../page/use-now.ts'
import { pausedBecause, type Zone } from '../state/fleet-objects.ts'
import { badOf, unmarkedOf, type ZoneView } from '../state/fleet-view.ts'
import { outlookOf } from '../state/outlook.ts'
import { noFilter } from '../state/place.ts'
import { grouped, percent, span } from '../state/words.ts'
import { CellCanvas } from './cell-canvas.tsx'
import type { IsShown } from './fleet.tsx'

interface ZoneCardProps {
  readonly view: ZoneView
  readonly isShown: IsShown
}

export function ZoneCard({ view, isShown }: ZoneCardProps) {
  const { name, title, zone, counts, cells } = view
  const isPaused = pausedBecause(zone) !== undefined
  const bad = badOf(counts) + unmarkedOf(view, useStatus().fleet)
  return (
    <section class={`zone ${zone?.status?.state ?? ''}`} aria-label={`Zone ${title}`}>
      <header>
        <h2>
          <Link to={{ view: 'fleet', filter: { ...noFilter, zone: name } }}>{title}</Link>
        </h2>
        {zone && <PauseSwitch resource="zones" name={name} title={title} isPaused={isPaused} />}
      </header>
      <ZoneState zone={zone} />
      <Share bad={bad} total={cells.length} zone={zone} />
      <ZoneOutlook view={view} />
      <CellCanvas label={`Nodes of ${title}`} cells={cells} isShown={isShown} />
    </section>
  )
}

/** A small component of its own, so that the seconds do not draw the cells again. */
function ZoneOutlook({ view }: { readonly view: ZoneView }) {
  const { fleet } = useStatus()
  const { tone, text } = outlookOf(view, fleet, useNow())
  return <p class={`outlook ${tone}`}>{text}</p>
}

const stateMeaning: Readonly<Record<string, string>> = {
  Initial: 'not judged yet',
  Normal: 'few enough nodes are down to evict at the usual rate',
  PartialDisruption: 'so many nodes are down that evictions are slowed or stopped',
  FullDisruption: 'no node of the zone is ready',
}

function ZoneState({ zone }: { readonly zone: Zone | undefined }) {
  const nowMs = useNow()
  const { state = 'Initial', since } = zone?.status ?? {}
  const sinceMs = parseTimeMs(since ?? '')
  const isNews = state !== 'Normal' && state !== 'Initial' && sinceMs !== undefined
  return (
    <p>
      <span class={`badge ${state}`} title={stateMeaning[state]}>
        {state}
      </span>
      {isNews && ` for ${span(nowMs - sinceMs)}`}
    </p>
  )
}

interface ShareProps {
  readonly bad: number
  readonly total: number
  readonly zone: Zone | undefined
}

/** How much is down, against the mark from which the zone counts as disrupted. */
function Share({ bad, total, zone }: ShareProps) {
  const share = total === 0 ? 0 : bad / total
  const threshold = Number(zone?.status?.unhealthyThreshold)
  const hasMark = Number.isFinite(threshold) && threshold > 0
  const text = bad === 0 ? `${grouped(total)} ready` : `${grouped(bad)} of ${grouped(total)} down`
  return (
    <div class="share">
      <div class="track" aria-hidden="true">
        <div class="down" style={{ width: `${share * 100}%` }} />
        {hasMark && <div class="mark" style={{ left: `${threshold * 100}%` }} />}
      </div>
      <span>
        {text}
        {bad > 0 && `, ${percent(share)}`}
        {bad > 0 && hasMark && <span class="dim"> (disrupted from {percent(threshold)})</span>}
      </span>
    </div>
  )
}

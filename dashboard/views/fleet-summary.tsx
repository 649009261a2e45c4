/** Is anything wrong, where and since when? In the largest letters of the page. */
import type { ComponentChildren } from 'preact'
import { useFleetStatus } from '../page/fleet-status.ts'
import { ZoneLink } from '../page/link.tsx'
import { useNow } from '../page/use-now.ts'
import { type FleetSummaryText, summarizeFleet } from '../state/fleet-summary.ts'
import { amount, grouped } from '../state/format.ts'
import type { ZoneView } from '../state/zone-view.ts'

interface FleetSummaryHeadProps {
  readonly views: readonly ZoneView[]
  readonly children: ComponentChildren
}

export function FleetSummaryHead({ views, children }: FleetSummaryHeadProps) {
  const summary = summarizeFleet(views, useFleetStatus().fleet, useNow())
  return (
    <section class={`summary ${summary.tone}`} aria-label="Summary">
      <div>
        <h1>
          <span role="status">{summary.headline}</span>
        </h1>
        <p>
          <Where summary={summary} /> {summary.remark}
        </p>
      </div>
      {children}
    </section>
  )
}

function Where({ summary: { zones, otherZones } }: { readonly summary: FleetSummaryText }) {
  if (zones.length === 0) return null
  return (
    <>
      In{' '}
      {zones.map(({ name, title, bad, total }, at) => (
        <span key={name}>
          {at > 0 && ', '}
          <ZoneLink name={name} title={title} />
          {` (${grouped(bad)} of ${grouped(total)})`}
        </span>
      ))}
      {otherZones > 0 && ` and ${amount(otherZones, 'other zone')}`}.
    </>
  )
}

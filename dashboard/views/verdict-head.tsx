/** The answer to the first three questions, in the largest letters of the page. */
import type { ComponentChildren } from 'preact'
import { useStatus } from '../page/fleet-status.ts'
import { Link } from '../page/link.tsx'
import { useNow } from '../page/use-now.ts'
import type { ZoneView } from '../state/fleet-view.ts'
import { noFilter } from '../state/place.ts'
import { type Verdict, verdictOf } from '../state/verdict.ts'
import { amount, grouped } from '../state/words.ts'

interface VerdictHeadProps {
  readonly views: readonly ZoneView[]
  readonly children: ComponentChildren
}

export function VerdictHead({ views, children }: VerdictHeadProps) {
  const verdict = verdictOf(views, useStatus().fleet, useNow())
  return (
    <section class={`verdict ${verdict.tone}`} aria-label="Summary">
      <div>
        <h1>
          <span role="status">{verdict.headline}</span>
        </h1>
        <p>
          <Where verdict={verdict} /> {verdict.remark}
        </p>
      </div>
      {children}
    </section>
  )
}

function Where({ verdict: { zones, otherZones } }: { readonly verdict: Verdict }) {
  if (zones.length === 0) return null
  return (
    <>
      In{' '}
      {zones.map(({ name, title, bad, total }, at) => (
        <span key={name}>
          {at > 0 && ', '}
          <Link to={{ view: 'fleet', filter: { ...noFilter, zone: name } }}>{title}</Link>
          {` (${grouped(bad)} of ${grouped(total)})`}
        </span>
      ))}
      {otherZones > 0 && ` and ${amount(otherZones, 'other zone')}`}.
    </>
  )
}

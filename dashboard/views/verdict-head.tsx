/** The answer to the first three questions, in the largest letters of the page. */
import type { ComponentChildren } from 'preact'
import { useNow } from '../page/use-now.ts'
import type { ZoneView } from '../state/fleet-view.ts'
import { verdictOf } from '../state/verdict.ts'

interface VerdictHeadProps {
  readonly views: readonly ZoneView[]
  readonly children: ComponentChildren
}

export function VerdictHead({ views, children }: VerdictHeadProps) {
  const { tone, headline, where, since } = verdictOf(views, useNow())
  return (
    <section class={`verdict ${tone}`} aria-label="Summary">
      <div>
        <h1>
          <span role="status">{headline}</span>
        </h1>
        <p>
          {where} {since}
        </p>
      </div>
      {children}
    </section>
  )
}

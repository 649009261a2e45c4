/** What happens next to this node, and when. */
import { useNow } from '../page/use-now.ts'
import type { NodeFacts } from '../state/node-world.ts'
import { type Step, stepsOf } from '../state/steps.ts'
import { clock, until } from '../state/words.ts'

export function NextSteps({ facts }: { readonly facts: NodeFacts }) {
  const nowMs = useNow()
  const { premise, steps } = stepsOf(facts, nowMs)
  return (
    <section class="panel next">
      <h2>What happens next</h2>
      <p class="dim">{premise}</p>
      {steps.length > 0 && (
        <ol>
          {steps.map((step) => (
            <li key={step.what} class={step.held ? 'held' : ''}>
              <When step={step} nowMs={nowMs} />
              <span>
                {step.what}
                {step.held && <span class="why">Held back: {step.held}</span>}
              </span>
            </li>
          ))}
        </ol>
      )}
    </section>
  )
}

function When({ step: { atMs, held }, nowMs }: { readonly step: Step; readonly nowMs: number }) {
  if (held || atMs === undefined) return <b class="when">not now</b>
  return (
    <b class="when">
      {until(atMs, nowMs)} <small>{clock(atMs, nowMs)}</small>
    </b>
  )
}

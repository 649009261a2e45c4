/** The lease as a bar that runs towards its deadline: full at the last beat, empty when silence becomes Unknown. */
import { readyOf } from '../../shared/lifecycle/conditions.ts'
import { smoothPeriodMs, useNow } from '../page/use-now.ts'
import { type NodeFacts, silenceOf } from '../state/node-world.ts'
import { ago, clock, span, until } from '../state/words.ts'

export function LeaseBar({ facts }: { readonly facts: NodeFacts }) {
  const nowMs = useNow(smoothPeriodMs())
  const silence = silenceOf(facts)
  const { lastSignMs, deadlineMs, graceMs } = silence
  const isStill = !Number.isFinite(deadlineMs)
  const left = isStill ? 1 : Math.min(1, Math.max(0, (deadlineMs - nowMs) / graceMs))
  const holder = facts.lease?.spec?.holderIdentity
  return (
    <section class="panel lease" aria-label="Lease">
      {/* The words below say the same. */}
      <div class="track" aria-hidden="true">
        <div class={left < 0.4 ? 'left low' : 'left'} style={{ width: `${left * 100}%` }} />
      </div>
      <p>
        {lastSignMs > 0 ? `Last beat ${ago(lastSignMs, nowMs)}.` : 'It has never been heard.'}{' '}
        {deadlineText(facts, silence, nowMs)}
        {facts.lease ? null : ' It has no lease; its status reports count instead.'}
        {holder === '' && ' The lease is released: the host left on purpose.'}
      </p>
    </section>
  )
}

function deadlineText(
  { node }: NodeFacts,
  { deadlineMs, graceMs }: ReturnType<typeof silenceOf>,
  nowMs: number,
): string {
  if (!Number.isFinite(deadlineMs)) return 'No clock runs while the monitor doubts what it sees.'
  const isDeclared = readyOf(node)?.status === 'Unknown'
  if (nowMs > deadlineMs)
    return isDeclared
      ? `Silent for longer than its grace of ${span(graceMs)}.`
      : `Its grace of ${span(graceMs)} is over; it is about to be declared Unknown.`
  // It beats again, and has not yet said how it is.
  if (isDeclared) return 'It is being heard again; its status decides next.'
  const when = `${clock(deadlineMs, nowMs)} (${until(deadlineMs, nowMs)})`
  return `Without another it is declared Unknown at ${when}; its grace is ${span(graceMs)}.`
}

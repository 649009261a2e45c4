/** The lease as a bar: full at the last beat, empty when the node becomes Unknown. */
import { parseTimeMs } from '../../shared/kube/time.ts'
import { readyOf } from '../../shared/lifecycle/liveness/health.ts'
import { smoothPeriodMs, useNow } from '../page/use-now.ts'
import { ago, clock, span, until } from '../state/format.ts'
import { type Liveness, livenessOf, type NodeFacts } from '../state/node-world.ts'

export function LeaseBar({ facts }: { readonly facts: NodeFacts }) {
  const nowMs = useNow(smoothPeriodMs())
  const liveness = livenessOf(facts)
  const { lastSignMs, deadlineMs, graceMs } = liveness
  const isBlind = !Number.isFinite(deadlineMs)
  const isOver = isDeclaredSince(facts, lastSignMs)
  const left = share(isOver ? 0 : isBlind ? 1 : (deadlineMs - nowMs) / graceMs)
  const holder = facts.lease?.spec?.holderIdentity
  return (
    <section class="panel lease" aria-label="Lease">
      {/* The text below says the same. */}
      <div class="track" aria-hidden="true">
        <div class={left < 0.4 ? 'left low' : 'left'} style={{ width: `${left * 100}%` }} />
      </div>
      <p>
        {lastSignMs > 0 ? `Last beat ${ago(lastSignMs, nowMs)}.` : 'It has never been heard.'}{' '}
        {deadlineText(facts, liveness, nowMs)}
        {facts.lease ? null : ' It has no lease; its status reports count instead.'}
        {holder === '' && ' The lease is released: the host left on purpose.'}
      </p>
    </section>
  )
}

const share = (value: number): number => Math.min(1, Math.max(0, value))

/** Declared Unknown, without a beat since. The time of the declaration is cut to the second. */
function isDeclaredSince({ node }: NodeFacts, lastSignMs: number): boolean {
  const ready = readyOf(node)
  const declaredMs = parseTimeMs(ready?.lastTransitionTime ?? '') ?? 0
  return ready?.status === 'Unknown' && lastSignMs < declaredMs + 1000
}

function deadlineText(facts: NodeFacts, liveness: Liveness, nowMs: number): string {
  const { lastSignMs, deadlineMs, graceMs } = liveness
  if (isDeclaredSince(facts, lastSignMs)) return 'Nothing was heard of it since.'
  if (!Number.isFinite(deadlineMs)) return 'No clock runs while the monitor doubts what it sees.'
  // It beats again, and its next status report is still to come.
  if (readyOf(facts.node)?.status === 'Unknown') return 'It is heard again; its status comes next.'
  const isOver = nowMs > deadlineMs
  if (isOver && facts.fleet?.status?.mode === 'observe')
    return `Its grace of ${span(graceMs)} is over; only observe mode keeps it from being Unknown.`
  if (isOver) return `Its grace of ${span(graceMs)} is over; it is about to be declared Unknown.`
  const when = `${clock(deadlineMs, nowMs)} (${until(deadlineMs, nowMs)})`
  return `Without another it is declared Unknown at ${when}; its grace is ${span(graceMs)}.`
}

/** The node's pods, and when each is deleted. */
import type { Pod } from '../../shared/kube/objects.ts'
import { readCountdown } from '../../shared/lifecycle/eviction/countdown.ts'
import type { Prospect } from '../../shared/lifecycle/eviction/forecast.ts'
import { useNow } from '../page/use-now.ts'
import { clock, span, until } from '../state/format.ts'
import { prospectsOf } from '../state/node-forecast.ts'
import type { NodeFacts } from '../state/node-world.ts'

export function NodePods({ facts }: { readonly facts: NodeFacts }) {
  const { pods } = facts
  const nowMs = useNow()
  const prospects = prospectsOf(facts, nowMs)
  const sorted = pods.toSorted((a, b) => dueOf(a) - dueOf(b))
  return (
    <section class="panel">
      <h2>Pods</h2>
      {pods.length === 0 && <p class="dim">None.</p>}
      <ul class="pods">
        {sorted.map((pod) => (
          <li key={pod.metadata.uid}>
            <span>
              <span class="dim">{pod.metadata.namespace}/</span>
              <b>{pod.metadata.name}</b>
            </span>
            <Countdown pod={pod} prospect={prospects.find(isOf(pod))} nowMs={nowMs} />
          </li>
        ))}
      </ul>
    </section>
  )
}

const dueOf = (pod: Pod): number => readCountdown(pod)?.dueAtMs ?? Number.POSITIVE_INFINITY

const isOf =
  ({ metadata }: Pod) =>
  ({ pod }: Prospect): boolean =>
    pod !== undefined && pod.name === metadata.name && pod.namespace === metadata.namespace

interface CountdownProps {
  readonly pod: Pod
  readonly prospect: Prospect | undefined
  readonly nowMs: number
}

/** From the forecast: the due time stored in the pod knows nothing of later pauses. */
function Countdown({ pod, prospect, nowMs }: CountdownProps) {
  if (pod.metadata.deletionTimestamp)
    return <span class="badge bad">Terminating, until the host confirms</span>
  const due = readCountdown(pod)
  if (!due || !prospect) return <span class="badge">{pod.status?.phase ?? 'Pending'}</span>
  const { atMs = nowMs, heldBy, leftMs = Math.max(0, atMs - nowMs) } = prospect
  const share = Math.min(1, leftMs / Math.max(1, due.dueAtMs - due.startedAtMs))
  return (
    <span class={heldBy ? 'countdown held' : 'countdown'}>
      {heldBy ? (
        `held back, ${span(leftMs)} left`
      ) : (
        <>
          deleted {until(atMs, nowMs)} <small>{clock(atMs, nowMs)}</small>
        </>
      )}
      <span class="track" aria-hidden="true">
        <span class="left low" style={{ width: `${share * 100}%` }} />
      </span>
    </span>
  )
}

/** What runs on the node, and how long each of it still may. */
import type { Pod } from '../../shared/kube/objects.ts'
import { readDue } from '../../shared/lifecycle/eviction-record.ts'
import { useNow } from '../page/use-now.ts'
import type { NodeFacts } from '../state/node-world.ts'
import { clock, until } from '../state/words.ts'

export function NodePods({ facts: { pods } }: { readonly facts: NodeFacts }) {
  const nowMs = useNow()
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
            <Countdown pod={pod} nowMs={nowMs} />
          </li>
        ))}
      </ul>
    </section>
  )
}

const dueOf = (pod: Pod): number => readDue(pod)?.dueAtMs ?? Number.POSITIVE_INFINITY

function Countdown({ pod, nowMs }: { readonly pod: Pod; readonly nowMs: number }) {
  if (pod.metadata.deletionTimestamp)
    return <span class="badge bad">Terminating, until the host confirms</span>
  const due = readDue(pod)
  if (!due) return <span class="badge">{pod.status?.phase ?? 'Pending'}</span>
  const left = Math.max(0, due.dueAtMs - nowMs)
  const share = left / Math.max(1, due.dueAtMs - due.startedAtMs)
  return (
    <span class="countdown">
      deleted {until(due.dueAtMs, nowMs)} <small>{clock(due.dueAtMs, nowMs)}</small>
      <span class="track" aria-hidden="true">
        <span class="left low" style={{ width: `${share * 100}%` }} />
      </span>
    </span>
  )
}

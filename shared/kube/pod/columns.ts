/** A pod as one line of `kubectl get pods`. */
import { formatAge } from '../age.ts'
import { ageColumn, nameColumn, textColumn, wide } from '../columns.ts'
import type { Pod } from '../objects.ts'
import type { Column, RowCondition } from '../resource.ts'
import { isFinished, summarize } from './summary.ts'

export const podColumns: readonly Column<Pod>[] = [
  nameColumn,
  textColumn<Pod>('Ready', 'How many of its containers are ready.', readyOf),
  textColumn<Pod>('Status', 'What the pod is doing, in a word.', (pod) => summarize(pod).reason),
  textColumn<Pod>('Restarts', 'How often its containers were restarted.', restartsOf),
  ageColumn,
  wide(textColumn<Pod>('IP', 'Address of the pod.', (pod) => podIPs(pod)[0] || '<none>')),
  wide(textColumn<Pod>('Node', 'The node it runs on.', (pod) => pod.spec?.nodeName || '<none>')),
  wide(textColumn<Pod>('Nominated Node', 'The node that makes room for it.', nominatedOf)),
  wide(textColumn<Pod>('Readiness Gates', 'How many of its readiness gates are open.', gatesOf)),
]

function readyOf(pod: Pod): string {
  const { ready, total } = summarize(pod)
  return `${ready}/${total}`
}

function restartsOf(pod: Pod, nowMs: number): string {
  const { restarts, restartedAtMs } = summarize(pod)
  if (restarts === 0 || restartedAtMs === undefined) return String(restarts)
  return `${restarts} (${formatAge(restartedAtMs, nowMs)} ago)`
}

export function podIPs({ status }: Pod): readonly string[] {
  if (!Array.isArray(status?.podIPs)) return status?.podIP ? [String(status.podIP)] : []
  return status.podIPs.map(({ ip }: { ip?: string }) => ip ?? '')
}

function nominatedOf({ status }: Pod): string {
  return String(status?.nominatedNodeName || '<none>')
}

function gatesOf({ spec, status }: Pod): string {
  const gates = (spec?.readinessGates ?? []) as readonly { readonly conditionType: string }[]
  if (gates.length === 0) return '<none>'
  const open = gates.filter(({ conditionType }) =>
    (status?.conditions ?? []).some((one) => one.type === conditionType && one.status === 'True'),
  )
  return `${open.length}/${gates.length}`
}

export function podRowConditions({ status }: Pod): readonly RowCondition[] {
  const reason = status?.phase
  if (!reason || !isFinished(reason)) return []
  const message = reason === 'Succeeded' ? 'The pod has completed successfully.' : 'The pod failed.'
  return [{ type: 'Completed', status: 'True', reason, message }]
}

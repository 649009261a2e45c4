/** Conditions, taints, labels and other facts of a Node object. */
import type { Node, NodeCondition } from '../../shared/kube/objects.ts'
import { parseTimeMs } from '../../shared/kube/time.ts'
import { useNow } from '../page/use-now.ts'
import { clockAndAge } from '../state/format.ts'

interface NodeProps {
  readonly node: Node
}

export function ConditionsPanel({ node }: NodeProps) {
  const nowMs = useNow()
  const conditions = node.status?.conditions ?? []
  return (
    <section class="panel">
      <h2>Conditions</h2>
      {conditions.length === 0 && <p class="dim">It has not reported yet.</p>}
      <ul class="conditions">
        {conditions.map((condition) => (
          <li key={condition.type} class={isGood(condition) ? 'good' : 'bad'}>
            <b>{condition.type}</b> <span class="badge">{condition.status}</span>{' '}
            <span class="dim">{sinceText(condition.lastTransitionTime, nowMs)}</span>
            <div>
              {condition.reason} <span class="dim">{condition.message}</span>
            </div>
          </li>
        ))}
      </ul>
    </section>
  )
}

const isGood = ({ type, status }: NodeCondition) => status === (type === 'Ready' ? 'True' : 'False')

function sinceText(text: string | null | undefined, nowMs: number): string {
  const atMs = parseTimeMs(text ?? '')
  return atMs === undefined ? '' : `since ${clockAndAge(atMs, nowMs)}`
}

export function TaintsPanel({ node }: NodeProps) {
  const nowMs = useNow()
  const taints = node.spec?.taints ?? []
  return (
    <section class="panel">
      <h2>Taints</h2>
      {taints.length === 0 && <p class="dim">None: pods may come and stay.</p>}
      <ul>
        {taints.map(({ key, value, effect, timeAdded }) => (
          <li key={`${key}:${effect}`}>
            <code>
              {key}
              {value && `=${value}`}:{effect}
            </code>{' '}
            <span class="dim">{sinceText(timeAdded, nowMs)}</span>
          </li>
        ))}
      </ul>
    </section>
  )
}

export function FactsPanel({ node }: NodeProps) {
  return (
    <section class="panel facts">
      <h2>Facts</h2>
      <dl>
        {factsOf(node).map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      <h3>Labels</h3>
      <ul class="labels">
        {Object.entries(node.metadata.labels ?? {}).map(([key, value]) => (
          <li key={key}>
            <code>
              {key}={value}
            </code>
          </li>
        ))}
      </ul>
    </section>
  )
}

function factsOf({ status, spec, metadata }: Node): readonly (readonly [string, string])[] {
  const info = status?.nodeInfo
  const capacity = Object.entries(status?.capacity ?? {})
  const all: readonly (readonly [string, string | undefined])[] = [
    ...(status?.addresses ?? []).map(({ type, address }) => [type, address] as const),
    ...capacity.map(([name, value]) => [`capacity ${name}`, value] as const),
    ['system', info && [info.osImage, info.kernelVersion].filter(Boolean).join(', ')],
    ['architecture', info && `${info.operatingSystem}/${info.architecture}`],
    ['agent', info?.kubeletVersion],
    ['runtime', info?.containerRuntimeVersion],
    ['pod range', spec?.podCIDR],
    ['provider', spec?.providerID],
    ['created', metadata.creationTimestamp ?? undefined],
    ['uid', metadata.uid],
  ]
  return all.filter((fact): fact is readonly [string, string] => Boolean(fact[1]))
}

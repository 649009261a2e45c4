/** Is the host ready? True unless somebody has an objection. */
import type { NodeStatus } from '../../shared/kube/objects.ts'
import { type Conditions, type NodeEvent, setCondition, type Updated } from './conditions.ts'

export interface Objections {
  readonly runtime?: string | null
  readonly network?: string | null
  readonly storage?: string | null
  readonly shutdown?: string | null
  /** Soft requirements: told, but no reason to be unready. */
  readonly warning?: string | null
}

export interface ReadyFacts {
  readonly objections: Objections
  readonly capacity: NodeStatus['capacity']
  readonly hasLocalStorageIsolation: boolean
}

export function setReady(conditions: Conditions, facts: ReadyFacts, nowMs: number): Updated {
  const { runtime, network, storage, shutdown, warning } = facts.objections
  const errors = [runtime, network, storage, shutdown, missingCapacity(facts)]
  const texts = [...new Set(errors.filter((text) => text))]
  const isReady = texts.length === 0
  const message = isReady ? 'kubelet is posting ready status' : joined(texts as string[])
  const status = isReady ? 'True' : 'False'

  const old = conditions.find(({ type }) => type === 'Ready')
  const wanted = {
    type: 'Ready',
    status,
    reason: isReady ? 'KubeletReady' : 'KubeletNotReady',
    message: warning ? `${message}. WARNING: ${warning}` : message,
  } as const
  const events = old && old.status !== status ? [turned(isReady)] : []
  return { conditions: setCondition(conditions, wanted, nowMs), events }
}

function turned(isReady: boolean): NodeEvent {
  const reason = isReady ? 'NodeReady' : 'NodeNotReady'
  return { type: 'Normal', reason, message: `Node status is now: ${reason}` }
}

const joined = (texts: readonly string[]): string =>
  texts.length === 1 ? (texts[0] ?? '') : `[${texts.join(', ')}]`

function missingCapacity({ capacity, hasLocalStorageIsolation }: ReadyFacts): string | undefined {
  const needed = [
    'cpu',
    'memory',
    'pods',
    ...(hasLocalStorageIsolation ? ['ephemeral-storage'] : []),
  ]
  const missing = needed.filter((name) => capacity?.[name] === undefined)
  if (missing.length === 0) return undefined
  return `missing node capacity for resources: ${missing.join(', ')}`
}

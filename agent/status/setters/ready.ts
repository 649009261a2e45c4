/** Is the host ready? True unless there is a reason against it. */
import type { NodeStatus } from '../../../shared/kube/objects.ts'
import type { NodeEvent } from '../node-event.ts'
import { type NodeConditions, setCondition, type UpdatedConditions } from './conditions.ts'

export interface ReadinessErrors {
  readonly runtime?: string | null
  readonly network?: string | null
  readonly storage?: string | null
  readonly shutdown?: string | null
  /** Soft requirements: part of the message, but no reason to be unready. */
  readonly warning?: string | null
}

interface ReadyFacts {
  readonly errors: ReadinessErrors
  readonly capacity: NodeStatus['capacity']
  readonly hasLocalStorageIsolation: boolean
}

export function setReady(
  conditions: NodeConditions,
  facts: ReadyFacts,
  nowMs: number,
): UpdatedConditions {
  const { runtime, network, storage, shutdown, warning } = facts.errors
  const found = [runtime, network, storage, shutdown, missingCapacity(facts)]
  const texts = [...new Set(found.filter((text) => text))]
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
  const events = old && old.status !== status ? [transition(isReady)] : []
  return { conditions: setCondition(conditions, wanted, nowMs), events }
}

function transition(isReady: boolean): NodeEvent {
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

/**
 * How does a condition change? Pure steps over the list of conditions, as the kubelet's setters
 * take them.
 */
import type { ConditionStatus, NodeCondition } from '../../shared/kube/objects.ts'
import { formatTime } from '../../shared/kube/time.ts'
import type { Pressure } from '../thresholds.ts'

export type Conditions = readonly NodeCondition[]

export interface NodeEvent {
  readonly type: 'Normal' | 'Warning'
  readonly reason: string
  readonly message: string
}

export interface Updated {
  readonly conditions: Conditions
  readonly events: readonly NodeEvent[]
}

interface Words {
  readonly reason: string
  readonly message: string
  readonly event: string
}

/** Kubelet's words, to the letter: other programs look for them. */
const PRESSURE_WORDS: Readonly<Record<Pressure, { readonly on: Words; readonly off: Words }>> = {
  MemoryPressure: {
    on: {
      reason: 'KubeletHasInsufficientMemory',
      message: 'kubelet has insufficient memory available',
      event: 'NodeHasInsufficientMemory',
    },
    off: {
      reason: 'KubeletHasSufficientMemory',
      message: 'kubelet has sufficient memory available',
      event: 'NodeHasSufficientMemory',
    },
  },
  DiskPressure: {
    on: {
      reason: 'KubeletHasDiskPressure',
      message: 'kubelet has disk pressure',
      event: 'NodeHasDiskPressure',
    },
    off: {
      reason: 'KubeletHasNoDiskPressure',
      message: 'kubelet has no disk pressure',
      event: 'NodeHasNoDiskPressure',
    },
  },
  PIDPressure: {
    on: {
      reason: 'KubeletHasInsufficientPID',
      message: 'kubelet has insufficient PID available',
      event: 'NodeHasInsufficientPID',
    },
    off: {
      reason: 'KubeletHasSufficientPID',
      message: 'kubelet has sufficient PID available',
      event: 'NodeHasSufficientPID',
    },
  },
}

/** Only the heartbeat moves while the word stays: reason and message stay as found. */
export function setPressure(
  conditions: Conditions,
  type: Pressure,
  isUnderPressure: boolean,
  nowMs: number,
): Updated {
  const status: ConditionStatus = isUnderPressure ? 'True' : 'False'
  const { reason, message, event } = PRESSURE_WORDS[type][isUnderPressure ? 'on' : 'off']
  const now = formatTime(nowMs)
  const old = conditions.find((each) => each.type === type)
  if (old?.status === status) {
    return { conditions: put(conditions, { ...old, lastHeartbeatTime: now }), events: [] }
  }
  const turned = { type, status, reason, message, lastHeartbeatTime: now, lastTransitionTime: now }
  // A new condition starts from Unknown, so making it is a transition, and is told.
  return {
    conditions: put(conditions, turned),
    events: [{ type: 'Normal', reason: event, message: `Node status is now: ${event}` }],
  }
}

export type Wanted = Pick<NodeCondition, 'type' | 'status' | 'reason' | 'message'>

/** Rewritten every round; the transition time is kept while the word is the same. */
export function setCondition(conditions: Conditions, wanted: Wanted, nowMs: number): Conditions {
  const now = formatTime(nowMs)
  const old = conditions.find((each) => each.type === wanted.type)
  const lastTransitionTime = old?.status === wanted.status ? (old.lastTransitionTime ?? now) : now
  return put(conditions, { ...wanted, lastHeartbeatTime: now, lastTransitionTime })
}

/** In its place when it is there, last when it is new. */
function put(conditions: Conditions, condition: NodeCondition): Conditions {
  const at = conditions.findIndex((each) => each.type === condition.type)
  return at < 0 ? [...conditions, condition] : conditions.with(at, condition)
}

/** How does a condition change? Pure functions over the list of conditions, as in the kubelet. */
import type { NodeCondition } from '../../../shared/kube/objects.ts'
import { formatTime } from '../../../shared/kube/time.ts'
import type { Pressure } from '../../machine/eviction-thresholds.ts'
import type { NodeEvent } from '../node-event.ts'

export type NodeConditions = readonly NodeCondition[]

export interface UpdatedConditions {
  readonly conditions: NodeConditions
  readonly events: readonly NodeEvent[]
}

type Words = readonly [reason: string, message: string]

/** The kubelet's words, to the letter, such as `KubeletHasSufficientMemory`: clients match them. */
const PRESSURE_WORDS: Readonly<Record<Pressure, Readonly<Record<'True' | 'False', Words>>>> = {
  MemoryPressure: {
    True: ['InsufficientMemory', 'insufficient memory available'],
    False: ['SufficientMemory', 'sufficient memory available'],
  },
  DiskPressure: {
    True: ['DiskPressure', 'disk pressure'],
    False: ['NoDiskPressure', 'no disk pressure'],
  },
  PIDPressure: {
    True: ['InsufficientPID', 'insufficient PID available'],
    False: ['SufficientPID', 'sufficient PID available'],
  },
}

/** While the status stays, only the heartbeat time moves; reason and message stay as found. */
export function setPressure(
  conditions: NodeConditions,
  type: Pressure,
  isUnderPressure: boolean,
  nowMs: number,
): UpdatedConditions {
  const status = isUnderPressure ? 'True' : 'False'
  const now = formatTime(nowMs)
  const old = conditions.find((each) => each.type === type)
  if (old?.status === status) {
    return { conditions: put(conditions, { ...old, lastHeartbeatTime: now }), events: [] }
  }
  const [words, sentence] = PRESSURE_WORDS[type][status]
  const reason = `KubeletHas${words}`
  const message = `kubelet has ${sentence}`
  const times = { lastHeartbeatTime: now, lastTransitionTime: now }
  const changed: NodeCondition = { type, status, reason, message, ...times }
  const event = `NodeHas${words}`
  // A new condition starts from Unknown, so adding it is a transition and has an event.
  return {
    conditions: put(conditions, changed),
    events: [{ type: 'Normal', reason: event, message: `Node status is now: ${event}` }],
  }
}

export type ConditionUpdate = Pick<NodeCondition, 'type' | 'status' | 'reason' | 'message'>

/** Rewritten with every update; the transition time is kept while the status is the same. */
export function setCondition(
  conditions: NodeConditions,
  wanted: ConditionUpdate,
  nowMs: number,
): NodeConditions {
  const now = formatTime(nowMs)
  const old = conditions.find((each) => each.type === wanted.type)
  const lastTransitionTime = old?.status === wanted.status ? (old.lastTransitionTime ?? now) : now
  return put(conditions, { ...wanted, lastHeartbeatTime: now, lastTransitionTime })
}

/** In its place when the type is there already, last when it is new. */
function put(conditions: NodeConditions, condition: NodeCondition): NodeConditions {
  const at = conditions.findIndex((each) => each.type === condition.type)
  return at < 0 ? [...conditions, condition] : conditions.with(at, condition)
}

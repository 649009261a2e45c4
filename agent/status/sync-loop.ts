/**
 * Reports the node status: observes the machine every ten seconds, sends what changed at once, and
 * an unchanged status every five minutes.
 */

import { VERSION } from '../../shared/flags/version.ts'
import type { Node } from '../../shared/kube/objects.ts'
import type { ServiceClient } from '../client.ts'
import { type AgentClock, type WakeableSleep, wakeableSleep } from '../clock.ts'
import type { AgentSettings } from '../config/settings.ts'
import { jittered } from '../lease/schedule.ts'
import { type Log, onChange } from '../log.ts'
import type { Machine, MachineFacts } from '../machine/machine.ts'
import { NO_PRESSURE, observePressure } from '../machine/pressure.ts'
import type { LastReport } from './change.ts'
import type { NodeEvent } from './node-event.ts'
import { computeNodeStatus, type SetterInput } from './node-status.ts'
import type { ConditionUpdate } from './setters/conditions.ts'
import type { ReadinessErrors } from './setters/ready.ts'
import {
  FAST_UPDATE,
  fastNodeStatusUpdate,
  type UpdateInput,
  type UpdateResult,
  updateNodeStatus,
} from './update.ts'

export interface NodeStatusLoop {
  readonly nodeName: string
  readonly settings: AgentSettings
  readonly machine: Machine
  readonly client: ServiceClient
  readonly clock: AgentClock
  readonly log: Log
  readonly signal: AbortSignal
  /** Conditions of the user's own checks; undefined until they have been run. */
  customConditions(): readonly ConditionUpdate[] | undefined
  readinessErrors(): ReadinessErrors
  onNodeGone(): void
  onEvent(event: NodeEvent, node: Node): void
}

interface StatusReporter {
  readonly done: Promise<void>
  /** Sends the full status at once, without trusting the cached Node. */
  reportNow(): void
}

export function runNodeStatusLoop(loop: NodeStatusLoop, registered: Node): StatusReporter {
  const sleep = wakeableSleep(loop.clock)
  const state = initialState(registered)
  return {
    done: run(loop, state, sleep),
    reportNow() {
      state.isForced = true
      sleep.wake()
    },
  }
}

/** The full status a host registers with. */
export async function initialStatus(loop: NodeStatusLoop, node: Node): Promise<Node> {
  return computeNodeStatus(node, await observeMachine(loop, initialState(node), loop.log)).node
}

const initialState = (cached: Node): State => ({
  cached,
  last: { delayMs: 0 },
  pressure: NO_PRESSURE,
  isForced: false,
  wasRebootReported: false,
})

interface State {
  cached: Node | undefined
  last: LastReport
  pressure: typeof NO_PRESSURE
  isForced: boolean
  wasRebootReported: boolean
}

async function run(loop: NodeStatusLoop, state: State, sleep: WakeableSleep): Promise<void> {
  const { clock, settings, signal } = loop
  const log = onChange(loop.log)
  const startedMs = clock.steadyMs()
  let isStarting = true
  while (!signal.aborted) {
    const input = await updateInput(loop, state, log)
    const isFast = isStarting && clock.steadyMs() - startedMs < FAST_UPDATE.limitMs
    if (isFast && !input.isForced) {
      const update = await fastNodeStatusUpdate(loop.client, input)
      if (update.result) noteResult(loop, state, update.result, log)
      isStarting = !update.isDone
    } else {
      isStarting = false
      const result = await updateNodeStatus(loop.client, input)
      noteResult(loop, state, result, log)
      // A full report that failed is still owed.
      if (result.outcome === 'failed' && input.isForced) state.isForced = true
    }
    const periodMs = settings.heartbeat.nodeStatusUpdateFrequencySeconds * 1_000
    const waitMs = isStarting ? FAST_UPDATE.everyMs : jittered(periodMs, clock.random())
    await sleep.sleep(waitMs, signal)
  }
}

function noteResult(loop: NodeStatusLoop, state: State, result: UpdateResult, log: Log): void {
  state.last = result.last
  if (result.cached) state.cached = result.cached
  for (const problem of result.computed?.problems ?? []) log.warn(`status: ${problem}`)
  if (result.outcome === 'nodeGone') loop.onNodeGone()
  if (result.outcome === 'failed') log.warn(`status not sent: ${result.why}`)
  if (result.outcome !== 'sent') return
  for (const event of result.computed?.events ?? []) {
    if (event.reason === 'Rebooted') state.wasRebootReported = true
    log.info(event.message)
    if (result.cached) loop.onEvent(event, result.cached)
  }
}

async function updateInput(loop: NodeStatusLoop, state: State, log: Log): Promise<UpdateInput> {
  const isForced = state.isForced
  state.isForced = false
  const { clock, settings } = loop
  return {
    setterInput: await observeMachine(loop, state, log),
    cached: state.cached,
    last: state.last,
    reportMs: settings.heartbeat.nodeStatusReportFrequencySeconds * 1_000,
    random: clock.random(),
    isForced,
    steadyMs: clock.steadyMs(),
    signal: loop.signal,
  }
}

/** What cannot be read is left out, and the update goes on without. */
async function observeMachine(loop: NodeStatusLoop, state: State, log: Log): Promise<SetterInput> {
  const { clock, settings, machine } = loop
  const missing = (what: string) => (error: Error) => {
    log.warn(`cannot read ${what}: ${error.message}`)
    return undefined
  }
  const facts = await machine.facts().catch(missing('facts of the machine'))
  const observations = await machine.observe().catch(missing('signals of the machine'))
  const rules = { thresholds: settings.thresholds, transitionMs: settings.transitionMs }
  // Steady time: a wall clock that is set must not end a pressure, nor prolong it.
  const observed = observePressure(state.pressure, observations ?? {}, rules, clock.steadyMs())
  state.pressure = observed.state
  const checks = loop.customConditions()
  return {
    settings: {
      ...settings,
      nodeName: loop.nodeName,
      hasExternalProvider: false,
      runtimeType: 'leasehold',
      runtimeVersion: VERSION.replace(/^v/, ''),
      agentVersion: VERSION,
    },
    facts,
    pressures: observed.pressures,
    readinessErrors: { ...loop.readinessErrors(), network: networkError(facts) },
    customConditions: [...networkCondition(facts), ...(checks ?? [])],
    areChecksKnown: checks !== undefined,
    wasRebootReported: state.wasRebootReported,
    nowMs: clock.wallMs(),
  }
}

const networkError = (facts: MachineFacts | undefined) =>
  facts && facts.addresses.length === 0 ? 'no network interface has an address' : undefined

/**
 * Kubernetes leaves this one to network plug-ins; a host here has none, so the agent sets it itself.
 */
function networkCondition(facts: MachineFacts | undefined): readonly ConditionUpdate[] {
  if (!facts) return []
  const isUp = facts.addresses.length > 0
  return [
    {
      type: 'NetworkUnavailable',
      status: isUp ? 'False' : 'True',
      reason: isUp ? 'HostHasAddress' : 'HostHasNoAddress',
      message: isUp ? 'a network interface has an address' : 'no network interface has an address',
    },
  ]
}

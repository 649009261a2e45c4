/**
 * Reports the host's status: looks every ten seconds, tells what changed, and everything every five
 * minutes.
 */
import type { Node } from '../shared/kube/objects.ts'
import { alarm } from './alarm.ts'
import type { Client } from './client.ts'
import type { Clock } from './clock.ts'
import { type Log, onChange } from './log.ts'
import type { Machine, MachineFacts } from './machine.ts'
import { NO_PRESSURE, observe } from './pressure.ts'
import { jittered } from './schedule.ts'
import type { NodeEvent, Wanted } from './setters/conditions.ts'
import type { Objections } from './setters/ready.ts'
import { AGENT_VERSION, type Settings } from './settings.ts'
import { computeStatus, type Round } from './status.ts'
import type { LastReport } from './status-change.ts'
import {
  FAST_START,
  fastStep,
  type RoundInput,
  type RoundResult,
  statusRound,
} from './status-round.ts'

export interface StatusLoop {
  readonly nodeName: string
  readonly settings: Settings
  readonly machine: Machine
  readonly client: Client
  readonly clock: Clock
  readonly log: Log
  readonly signal: AbortSignal
  /** Conditions of the user's own checks. */
  custom(): readonly Wanted[]
  objections(): Objections
  onNodeGone(): void
  onEvent(event: NodeEvent, node: Node): void
}

export interface StatusReporter {
  readonly done: Promise<void>
  /** Tell everything at once, whatever we believe the service knows. */
  reportNow(): void
}

export function reportStatus(loop: StatusLoop, registered: Node): StatusReporter {
  const bell = alarm(loop.clock)
  const state = freshState(registered)
  return {
    done: run(loop, state, bell),
    reportNow() {
      state.isForced = true
      bell.ring()
    },
  }
}

/** The full status a host registers with. */
export async function initialStatus(loop: StatusLoop, node: Node): Promise<Node> {
  return computeStatus(node, await look(loop, freshState(node), loop.log)).node
}

const freshState = (cached: Node): State => ({
  cached,
  last: { shiftMs: 0 },
  pressure: NO_PRESSURE,
  isForced: false,
  wasRebootTold: false,
})

interface State {
  cached: Node | undefined
  last: LastReport
  pressure: typeof NO_PRESSURE
  isForced: boolean
  wasRebootTold: boolean
}

async function run(loop: StatusLoop, state: State, bell: ReturnType<typeof alarm>): Promise<void> {
  const { clock, settings, signal } = loop
  const log = onChange(loop.log)
  const startedMs = clock.steadyMs()
  let isStarting = true
  while (!signal.aborted) {
    const input = await nextInput(loop, state, log)
    const isFast = isStarting && clock.steadyMs() - startedMs < FAST_START.limitMs
    if (isFast && !input.isForced) {
      const step = await fastStep(loop.client, input)
      if (step.result) settle(loop, state, step.result, log)
      isStarting = !step.isDone
    } else {
      isStarting = false
      const result = await statusRound(loop.client, input)
      settle(loop, state, result, log)
      // A full report that failed is still owed.
      if (result.outcome === 'failed' && input.isForced) state.isForced = true
    }
    const periodMs = settings.heartbeat.nodeStatusUpdateFrequencySeconds * 1_000
    const waitMs = isStarting ? FAST_START.everyMs : jittered(periodMs, clock.random())
    await bell.sleep(waitMs, signal)
  }
}

function settle(loop: StatusLoop, state: State, result: RoundResult, log: Log): void {
  state.last = result.last
  if (result.cached) state.cached = result.cached
  for (const problem of result.computed?.problems ?? []) log.warn(`status: ${problem}`)
  if (result.outcome === 'nodeGone') loop.onNodeGone()
  if (result.outcome === 'failed') log.warn(`status not sent: ${result.why}`)
  if (result.outcome !== 'sent') return
  for (const event of result.computed?.events ?? []) {
    if (event.reason === 'Rebooted') state.wasRebootTold = true
    log.info(event.message)
    if (result.cached) loop.onEvent(event, result.cached)
  }
}

async function nextInput(loop: StatusLoop, state: State, log: Log): Promise<RoundInput> {
  const isForced = state.isForced
  state.isForced = false
  const { clock, settings } = loop
  return {
    round: await look(loop, state, log),
    cached: state.cached,
    last: state.last,
    reportMs: settings.heartbeat.nodeStatusReportFrequencySeconds * 1_000,
    random: clock.random(),
    isForced,
    steadyMs: clock.steadyMs(),
    signal: loop.signal,
  }
}

/** Looks at the machine. What it will not say is left out, and the round goes on without. */
async function look(loop: StatusLoop, state: State, log: Log): Promise<Round> {
  const { clock, settings, machine } = loop
  const missing = (what: string) => (error: Error) => {
    log.warn(`cannot read ${what}: ${error.message}`)
    return undefined
  }
  const facts = await machine.facts().catch(missing('facts of the machine'))
  const observations = await machine.observe().catch(missing('signals of the machine'))
  const rules = { thresholds: settings.thresholds, transitionMs: settings.transitionMs }
  // Steady time: a clock that is set must not end a pressure, nor prolong it.
  const pressed = observe(state.pressure, observations ?? {}, rules, clock.steadyMs())
  state.pressure = pressed.state
  return {
    settings: {
      ...settings,
      nodeName: loop.nodeName,
      hasExternalProvider: false,
      runtimeType: 'leasehold',
      runtimeVersion: AGENT_VERSION.replace(/^v/, ''),
      agentVersion: AGENT_VERSION,
    },
    facts,
    pressures: pressed.pressures,
    objections: { ...loop.objections(), network: networkObjection(facts) },
    custom: [...networkCondition(facts), ...loop.custom()],
    wasRebootTold: state.wasRebootTold,
    nowMs: clock.wallMs(),
  }
}

const networkObjection = (facts: MachineFacts | undefined) =>
  facts && facts.addresses.length === 0 ? 'no network interface has an address' : undefined

/**
 * Kubernetes leaves this one to network plug-ins; a host here has none, so the agent looks itself.
 */
function networkCondition(facts: MachineFacts | undefined): readonly Wanted[] {
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

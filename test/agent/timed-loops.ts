/** The agent's loops on a clock that moves when told: what they do, and when. */
import type { ServiceRequest } from '../../agent/client.ts'
import { DEFAULTS } from '../../agent/config/settings.ts'
import { type AcceptedBeat, runLeaseController } from '../../agent/lease/controller.ts'
import { type HeartbeatOptions, heartbeat } from '../../agent/lease/schedule.ts'
import { silentLog } from '../../agent/log.ts'
import { simulatedMachine } from '../../agent/machine/simulated-machine.ts'
import { startSimulatedHost } from '../../agent/simulated-host.ts'
import { runNodeStatusLoop } from '../../agent/status/sync-loop.ts'
import type { Node } from '../../shared/kube/objects.ts'
import { fakeClock } from './fake-clock.ts'
import { type Said, scriptedClient } from './scripted-client.ts'

export interface TimedCall extends ServiceRequest {
  readonly atSeconds: number
}

const MINUTE_MS = 60_000
const OWNER = { apiVersion: 'v1', kind: 'Node', name: 'foo', uid: 'u' }
const LEASE = { metadata: { name: 'foo', resourceVersion: '1', ownerReferences: [OWNER] } }

export interface LeaseRun extends HeartbeatOptions {
  readonly random?: number
  /** Default: a minute. */
  readonly forSeconds?: number
  /** How long each answer takes. */
  readonly answerSeconds?: number
  readonly answer?: (call: ServiceRequest) => Said
}

/** Beats for a while, is told to stop, and is watched for another minute. */
export async function runLease(run: LeaseRun) {
  const { random = 0, answerSeconds = 0, answer = () => ({ code: 200, body: LEASE }) } = run
  const clock = fakeClock(() => random)
  const times: number[] = []
  const { client, calls } = scriptedClient(async (call) => {
    times.push(clock.steadyMs() / 1_000)
    await clock.wait(answerSeconds * 1_000)
    return answer(call)
  })
  const stop = new AbortController()
  const settings = { ...DEFAULTS, heartbeat: heartbeat(run) }
  const accepted: AcceptedBeat[] = []
  const onBeat = (beat: AcceptedBeat) => void accepted.push(beat)
  const nothing = () => {}
  const done = runLeaseController({
    ...{ nodeName: 'foo', holderIdentity: 'foo', settings, client, clock, log: silentLog },
    ...{ onBeat, onNodeGone: nothing, onForbidden: nothing, onStep: nothing },
    signal: stop.signal,
  })
  await clock.advance((run.forSeconds ?? 60) * 1_000)
  const beforeStop = calls.length
  stop.abort()
  await clock.advance(MINUTE_MS)
  await done
  const timed = calls.map((call, at): TimedCall => ({ ...call, atSeconds: times[at] ?? 0 }))
  return { accepted, calls: timed.slice(0, beforeStop), afterStop: timed.slice(beforeStop) }
}

/** Seconds at which a host that is never let in asks to be registered. */
export async function registrationSeconds(attempts: number): Promise<readonly number[]> {
  const clock = fakeClock()
  const times: number[] = []
  const { client } = scriptedClient(() => {
    times.push(clock.steadyMs() / 1_000)
    return { code: 500 }
  })
  const host = startSimulatedHost({ name: 'a', client, clock })
  await clock.advance(attempts * 7_000)
  await host.stop()
  return times.slice(0, attempts)
}

/** What a host that may join asks for once its Node, and with it its Lease, is gone. */
export async function outliveNode() {
  const clock = fakeClock()
  let isDeleted = false
  const node = { metadata: { name: 'foo', uid: 'u' } }
  const gone = { kind: 'Status', reason: 'NotFound', details: { name: 'foo', kind: 'nodes' } }
  const { client, calls } = scriptedClient(({ method, path }) => {
    const isLease = path.includes('/leases')
    if (method === 'POST') return { code: 201, body: isLease ? LEASE : node }
    if (!isDeleted) return { code: 200, body: isLease ? LEASE : node }
    if (isLease) return { code: method === 'PUT' ? 409 : 404 }
    return { code: 404, body: gone }
  })
  const host = startSimulatedHost({ name: 'foo', client, clock })
  await clock.advance(MINUTE_MS)
  isDeleted = true
  const before = calls.length
  await clock.advance(MINUTE_MS)
  await host.stop()
  return calls.slice(before)
}

export interface StatusRun extends HeartbeatOptions {
  readonly random?: number
  /** Whether the host has what it needs to be ready. */
  readonly isFit?: boolean
  readonly forSeconds: number
}

/** Seconds at which a status loop looks at its machine. */
export async function looksSeconds(run: StatusRun): Promise<readonly number[]> {
  const clock = fakeClock(() => run.random ?? 0)
  const looks: number[] = []
  const machine = simulatedMachine('a')
  const observe = () => {
    looks.push(clock.steadyMs() / 1_000)
    return machine.observe()
  }
  const node: Node = { metadata: { name: 'a' } }
  const { client } = scriptedClient(() => ({ code: 200, body: node }))
  const stop = new AbortController()
  const status = runNodeStatusLoop(
    {
      ...{ nodeName: 'a', client, clock, log: silentLog, signal: stop.signal },
      settings: { ...DEFAULTS, heartbeat: heartbeat(run) },
      machine: { ...machine, observe },
      customConditions: () => [],
      readinessErrors: () => (run.isFit === false ? { runtime: 'down' } : {}),
      onNodeGone() {},
      onEvent() {},
    },
    node,
  )
  await clock.advance(run.forSeconds * 1_000)
  stop.abort()
  await status.done
  return looks
}

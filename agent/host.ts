/**
 * One host, from joining to leaving: gets a token, registers its Node, then renews the lease and
 * reports the status side by side. When its Node was deleted, or created anew by another client, it
 * joins again if it has a bootstrap token, and otherwise logs that and stops.
 */
import type { Node } from '../shared/kube/objects.ts'
import { nodePath, outcomeOf, type ServiceClient } from './client.ts'
import type { AgentClock } from './clock.ts'
import type { AgentSettings } from './config/settings.ts'
import type { NodeCredentials } from './join/credentials.ts'
import { type LeaveOptions, leave } from './join/leave.ts'
import { machineHash } from './join/machine-proof.ts'
import { initialNode, PODS_ANNOTATION } from './join/node-object.ts'
import { registerNode, registrationWaitMs, undoLeave } from './join/registration.ts'
import { type AcceptedBeat, runLeaseController } from './lease/controller.ts'
import { type Log, onChange } from './log.ts'
import type { Machine } from './machine/machine.ts'
import type { PodDriver } from './pods/driver.ts'
import { fenceNow, watchFence } from './pods/fence.ts'
import type { TrackedPod } from './pods/plan.ts'
import { type PodSyncLoop, runPodSyncLoop } from './pods/sync-loop.ts'
import { postEvent } from './status/node-event.ts'
import type { ConditionUpdate } from './status/setters/conditions.ts'
import { initialStatus, type NodeStatusLoop, runNodeStatusLoop } from './status/sync-loop.ts'

const TOKEN_CHECK_MS = 60_000
const STUCK_ALLOWANCE_MS = 30_000

export interface HostOptions {
  readonly name: string
  readonly machine: Machine
  /** Tells this machine from others that might use the same node name. */
  readonly machineId: string
  readonly settings: AgentSettings
  readonly client: ServiceClient
  /** Absent where the client needs none, or renews its own. */
  readonly credentials?: NodeCredentials
  readonly clock: AgentClock
  readonly log: Log
  readonly driver?: PodDriver
  readonly isFencing?: boolean
  /** False: the Node is made by hand and waited for. Default true. */
  readonly registersNode?: boolean
  readonly onRegistered?: () => void
  /** Undefined until they are known for the first time. */
  readonly customConditions?: () => readonly ConditionUpdate[] | undefined
}

export interface Host {
  /** Ends when told to, or when its Node was deleted and it has no token to join again with. */
  readonly done: Promise<'stopped' | 'nodeDeleted'>
  /** Stops without telling the service. */
  stop(): Promise<void>
  /** Stops, then cordons the Node, reports it not ready and releases the lease. */
  leave(): Promise<void>
  /** False when the lease controller is stuck, which only a bug can cause. */
  isAlive(): boolean
}

export function startHost(options: HostOptions): Host {
  const stopping = new AbortController()
  const watchdog: Watchdog = { dueMs: Number.POSITIVE_INFINITY }
  const done = runHost(options, watchdog, stopping.signal)
  const stop = async () => {
    stopping.abort()
    await done
  }
  const leaving: LeaveOptions = {
    ...options,
    nodeName: options.name,
    holderIdentity: holderIdentity(options),
  }
  return {
    done,
    stop,
    isAlive: () => options.clock.steadyMs() < watchdog.dueMs,
    async leave() {
      await stop()
      await leave(leaving)
    },
  }
}

export const holderIdentity = ({ name, machineId }: HostOptions) =>
  `${name}_${machineHash(name, machineId)}`

/** By when the lease controller must have taken its next step. */
interface Watchdog {
  dueMs: number
}

async function runHost(
  options: HostOptions,
  watchdog: Watchdog,
  signal: AbortSignal,
): Promise<'stopped' | 'nodeDeleted'> {
  // Pods go on running on the machine when their Node is deleted, so they outlive a registration.
  const tracked = new Map<string, TrackedPod>()
  while (!signal.aborted) {
    const node = await registerWithRetry(options, signal)
    if (!node) return 'stopped'
    options.onRegistered?.()
    const ending = await runRegistered(options, { node, tracked }, watchdog, signal)
    if (ending === 'stopped') return ending
    const what = `node ${options.name} ${REASONS[ending]}`
    if (options.credentials && !options.credentials.canJoin) {
      options.log.warn(`${what}, and there is no bootstrap token to join again with: stopping`)
      return 'nodeDeleted'
    }
    options.log.warn(`${what}: joining again`)
    if (!options.credentials?.isJoining()) await options.credentials?.forget()
  }
  return 'stopped'
}

type Ending = 'stopped' | 'nodeGone' | 'tokenVoid'

const REASONS = {
  nodeGone: 'was deleted',
  tokenVoid: 'was made anew by somebody else, and our token is not for that one',
} as const

/** Until it works, with growing waits. Undefined when told to stop meanwhile. */
async function registerWithRetry(
  options: HostOptions,
  signal: AbortSignal,
): Promise<Node | undefined> {
  const { clock } = options
  const log = onChange(options.log)
  for (let attempt = 1; !signal.aborted; attempt++) {
    await clock.wait(registrationWaitMs(attempt), signal)
    if (signal.aborted) return undefined
    const result = await tryRegister(options).catch((error: Error) => error.message)
    if (typeof result !== 'string') return result
    log.warn(`not registered yet: ${result}`)
    options.client.reset()
  }
  return undefined
}

async function tryRegister(options: HostOptions): Promise<Node | string> {
  const { client, credentials } = options
  if (credentials && (await credentials.obtain()) !== 'ready') return 'no token'
  if (options.registersNode === false) return tryFind(options)
  const result = await registerNode(client, await nodeToRegister(options))
  if (result.kind === 'failed') return result.response.why
  if (credentials && (await credentials.bind()) !== 'ready') return 'no token for this node'
  const undone = await undoLeave(client, result.node)
  // Without a retry the Node would stay cordoned until the agent is restarted.
  if (undone && outcomeOf(undone) === 'error') return undone.why
  options.log.info(`${result.isNew ? 'registered' : 'known'} as node ${options.name}`)
  return result.node
}

/** The token comes first: without one of this Node a host may not read it. */
async function tryFind({ client, credentials, name, log }: HostOptions): Promise<Node | string> {
  const waiting = `waiting for node ${name}, which is made by hand`
  if (credentials && (await credentials.bind()) !== 'ready') return waiting
  const found = await client.send({ method: 'GET', path: nodePath(name) })
  if (outcomeOf(found) !== 'ok') return `${waiting}: ${found.why}`
  log.info(`found node ${name}`)
  return found.body as Node
}

/** Also shown by `--check`. */
export async function nodeToRegister(options: HostOptions): Promise<Node> {
  const annotations = { ...(options.driver && { [PODS_ANNOTATION]: 'true' }) }
  const facts = await options.machine.facts()
  const node = initialNode({ ...options.settings, name: options.name, annotations }, facts)
  return initialStatus(statusLoopOf(options, new AbortController()), node)
}

function statusLoopOf(options: HostOptions, lifetime: AbortController): NodeStatusLoop {
  return {
    ...options,
    nodeName: options.name,
    signal: lifetime.signal,
    customConditions: options.customConditions ?? (() => []),
    readinessErrors: () => ({}),
    onNodeGone: () => lifetime.abort('nodeGone'),
    onEvent: (event, node) => postEvent(options.client, event, node, options.clock.wallMs()),
  }
}

interface Registration {
  readonly node: Node
  readonly tracked: Map<string, TrackedPod>
}

/** The lifetime of one Node: from registration until it is deleted or the host is told to stop. */
async function runRegistered(
  options: HostOptions,
  { node, tracked }: Registration,
  watchdog: Watchdog,
  signal: AbortSignal,
): Promise<Ending> {
  const { client, clock, log, name: nodeName, driver } = options
  const lifetime = new AbortController()
  const end = () => lifetime.abort('stopped')
  signal.addEventListener('abort', end)
  // Told to stop between registering and here.
  if (signal.aborted) end()
  const status = runNodeStatusLoop(statusLoopOf(options, lifetime), node)
  const pods =
    driver &&
    runPodSyncLoop({ nodeName, client, clock, driver, log, tracked, signal: lifetime.signal })
  const beats = beatReactions(() => status.reportNow(), pods)
  const lease = runLeaseController({
    ...options,
    nodeName,
    holderIdentity: holderIdentity(options),
    signal: lifetime.signal,
    onBeat: beats.accepted,
    onNodeGone: () => lifetime.abort('nodeGone'),
    onForbidden: () => void renewToken(options, lifetime),
    onStep(withinMs) {
      watchdog.dueMs = clock.steadyMs() + withinMs + STUCK_ALLOWANCE_MS
      // A joining token after a refusal means that the service has no such Node any more.
      if (options.credentials?.isJoining()) lifetime.abort('nodeGone')
    },
  })
  const fencing = pods && options.isFencing ? pods : undefined
  const fence =
    fencing &&
    watchFence({ clock, log, pods: fencing, signal: lifetime.signal, lastBeat: beats.last })
  await Promise.all([lease, status.done, pods?.done, fence, keepTokenFresh(options, lifetime)])
  signal.removeEventListener('abort', end)
  watchdog.dueMs = Number.POSITIVE_INFINITY
  const ending: Ending = lifetime.signal.reason
  // The pods were deleted with the Node and may run elsewhere; no later response will say so.
  if (fencing && ending !== 'stopped') await fenceNow(fencing, log)
  return ending
}

/** What the response to a beat means for the status loop and the pods. */
function beatReactions(reportNow: () => void, pods: PodSyncLoop | undefined) {
  let last: AcceptedBeat | undefined
  return {
    last: () => last,
    accepted(beat: AcceptedBeat) {
      const wasDeclared = last !== undefined && beat.declaredMs !== last.declaredMs
      const gapMs = last ? beat.sentSteadyMs - last.sentSteadyMs : 0
      const wallGapMs = last ? beat.sentWallMs - last.sentWallMs : 0
      // Declared dead, or silent for so long that it must have been: send the full status.
      if (wasDeclared || Math.max(gapMs, wallGapMs) > beat.graceMs) reportNow()
      last = beat
      if (beat.inbox !== undefined) pods?.inboxIs(beat.inbox)
      if (pods?.isFenced()) pods.unfence()
    },
  }
}

async function keepTokenFresh(options: HostOptions, lifetime: AbortController): Promise<void> {
  const { clock, credentials } = options
  if (!credentials) return
  while (!lifetime.signal.aborted) {
    await clock.wait(TOKEN_CHECK_MS, lifetime.signal)
    if (!lifetime.signal.aborted && credentials.isRenewalDue()) await renewToken(options, lifetime)
  }
}

/** A token whose renewal is refused was issued for an earlier Node of this name. */
async function renewToken({ credentials }: HostOptions, lifetime: AbortController): Promise<void> {
  if ((await credentials?.renew()) === 'refused') lifetime.abort('tokenVoid')
}

/**
 * One host, from joining to leaving: gets a token, registers, then beats and reports side by side.
 * When its Node was deleted, or made anew by somebody else, it joins again if it may, and otherwise
 * says so and stops.
 */
import type { Node } from '../shared/kube/objects.ts'
import { type Client, outcomeOf } from './client.ts'
import type { Clock } from './clock.ts'
import { postEvent } from './events.ts'
import { judgeFence } from './fence.ts'
import type { Credentials } from './join.ts'
import { type AcceptedBeat, keepLease } from './lease-loop.ts'
import { type Leaving, leave } from './leave.ts'
import { type Log, onChange } from './log.ts'
import type { Machine } from './machine.ts'
import { initialNode, type NodeWish, PODS_ANNOTATION } from './node-content.ts'
import type { PodDriver } from './pod-driver.ts'
import type { KnownPod } from './pod-plan.ts'
import { type Pods, runPods } from './pods.ts'
import { comeBack, register } from './register.ts'
import { registrationWaitMs } from './schedule.ts'
import type { Wanted } from './setters/conditions.ts'
import type { Settings } from './settings.ts'
import { initialStatus, reportStatus, type StatusLoop } from './status-loop.ts'

const FENCE_LOOK_MS = 500
/** A hook that failed is given a moment, and the machine some rest. */
const FENCE_RETRY_MS = 2_000
const TOKEN_LOOK_MS = 60_000
const STUCK_ALLOWANCE_MS = 30_000

export interface HostOptions {
  readonly name: string
  readonly machine: Machine
  /** Names this machine among others that might claim the same node name. */
  readonly machineId: string
  readonly settings: Settings
  readonly client: Client
  /** Absent where the client needs none, or renews its own. */
  readonly credentials?: Credentials
  readonly clock: Clock
  readonly log: Log
  readonly driver?: PodDriver
  readonly isFencing?: boolean
  readonly custom?: () => readonly Wanted[]
}

export interface Host {
  /** Ends when told to, or when its Node was deleted and it may not join again. */
  readonly done: Promise<'stopped' | 'nodeDeleted'>
  /** Falls silent. */
  stop(): Promise<void>
  /** Tells the service first. */
  leave(): Promise<void>
  /** False when the beat is stuck, which only a fault of ours can bring about. */
  isAlive(): boolean
}

export function startHost(options: HostOptions): Host {
  const stopping = new AbortController()
  const pulse: Pulse = { dueMs: Number.POSITIVE_INFINITY }
  const done = live(options, pulse, stopping.signal)
  const stop = async () => {
    stopping.abort()
    await done
  }
  const leaving: Leaving = { ...options, nodeName: options.name, holderIdentity: holder(options) }
  return {
    done,
    stop,
    isAlive: () => options.clock.steadyMs() < pulse.dueMs,
    async leave() {
      await stop()
      await leave(leaving)
    },
  }
}

const holder = ({ name, machineId }: HostOptions) => `${name}_${machineId}`

/** By when the beat's loop must have been heard of again. */
interface Pulse {
  dueMs: number
}

async function live(
  options: HostOptions,
  pulse: Pulse,
  signal: AbortSignal,
): Promise<'stopped' | 'nodeDeleted'> {
  const known: Life['known'] = new Map()
  while (!signal.aborted) {
    const node = await establish(options, signal)
    if (!node) return 'stopped'
    const ending = await serve(options, { node, known }, pulse, signal)
    if (ending === 'stopped') return ending
    const what = `node ${options.name} ${FATES[ending]}`
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

const FATES = {
  nodeGone: 'was deleted',
  tokenVoid: 'was made anew by somebody else, and our token is not for that one',
} as const

/** Until it works, ever more slowly. Undefined when told to stop meanwhile. */
async function establish(options: HostOptions, signal: AbortSignal): Promise<Node | undefined> {
  const { clock } = options
  const log = onChange(options.log)
  for (let attempt = 1; !signal.aborted; attempt++) {
    await clock.wait(registrationWaitMs(attempt), signal)
    if (signal.aborted) return undefined
    const result = await tryEstablish(options).catch((error: Error) => error.message)
    if (typeof result !== 'string') return result
    log.warn(`not registered yet: ${result}`)
    options.client.reset()
  }
  return undefined
}

async function tryEstablish(options: HostOptions): Promise<Node | string> {
  const { client, credentials } = options
  if (credentials && (await credentials.obtain()) !== 'ready') return 'no token'
  const wanted = await wantedNode(options)
  const result = await register(client, wanted)
  if (result.kind === 'failed') return result.answer.why
  if (credentials && (await credentials.bind()) !== 'ready') return 'no token for this node'
  const back = await comeBack(client, result.node)
  // Or it would beat on and stay cordoned, for nobody's reason, until it is restarted.
  if (back && outcomeOf(back) === 'error') return back.why
  options.log.info(`${result.isNew ? 'registered' : 'known'} as node ${options.name}`)
  return result.node
}

/** What would be sent to register: `--check` shows it. */
export async function wantedNode(options: HostOptions): Promise<Node> {
  const { name, settings, machine } = options
  const facts = await machine.facts()
  const wish: NodeWish = {
    ...settings,
    name,
    annotations: { ...(options.driver && { [PODS_ANNOTATION]: 'true' }) },
  }
  return initialStatus(statusLoopOf(options, new AbortController()), initialNode(wish, facts))
}

function statusLoopOf(options: HostOptions, term: AbortController): StatusLoop {
  return {
    ...options,
    nodeName: options.name,
    signal: term.signal,
    custom: options.custom ?? (() => []),
    objections: () => ({}),
    onNodeGone: () => term.abort('nodeGone'),
    onEvent: (event, node) => postEvent(options.client, event, node, options.clock.wallMs()),
  }
}

interface Life {
  readonly node: Node
  /** The pods of the machine, which goes on when its Node does not. */
  readonly known: Map<string, KnownPod>
}

/** One life of a Node: from registration until it is deleted or we are told to stop. */
async function serve(
  options: HostOptions,
  { node, known }: Life,
  pulse: Pulse,
  signal: AbortSignal,
): Promise<Ending> {
  const { client, clock, log, name: nodeName, driver } = options
  const term = new AbortController()
  const end = () => term.abort('stopped')
  signal.addEventListener('abort', end)
  // Told to stop between registering and here.
  if (signal.aborted) end()
  const status = reportStatus(statusLoopOf(options, term), node)
  const pods =
    driver && runPods({ nodeName, client, clock, driver, log, known, signal: term.signal })
  const beats = beatWatch(() => status.reportNow(), pods)
  const lease = keepLease({
    ...options,
    nodeName,
    holderIdentity: holder(options),
    signal: term.signal,
    onBeat: beats.take,
    onNodeGone: () => term.abort('nodeGone'),
    onForbidden: () => void renewToken(options, term),
    onStep(withinMs) {
      pulse.dueMs = clock.steadyMs() + withinMs + STUCK_ALLOWANCE_MS
      // Joined anew after a refusal: the service knows no such Node any more.
      if (options.credentials?.isJoining()) term.abort('nodeGone')
    },
  })
  const fence = pods && options.isFencing && watchFence(options, pods, beats.last, term.signal)
  await Promise.all([lease, status.done, pods?.done, fence, keepToken(options, term)])
  signal.removeEventListener('abort', end)
  pulse.dueMs = Number.POSITIVE_INFINITY
  const ending: Ending = term.signal.reason
  // Its pods went with the Node and may run elsewhere by now; nothing will tell us any more.
  if (pods && options.isFencing && ending !== 'stopped') await fenceNow(pods, log)
  return ending
}

/** What the answer to a beat means for the rest of the host. */
export function beatWatch(reportNow: () => void, pods: Pods | undefined) {
  let last: AcceptedBeat | undefined
  return {
    last: () => last,
    take(beat: AcceptedBeat) {
      const wasDeclared = last !== undefined && beat.declaredMs !== last.declaredMs
      const gapMs = last ? beat.sentSteadyMs - last.sentSteadyMs : 0
      const wallGapMs = last ? beat.sentWallMs - last.sentWallMs : 0
      // Given up, or so long silent that we must have been: the service waits for a full report.
      if (wasDeclared || Math.max(gapMs, wallGapMs) > beat.graceMs) reportNow()
      last = beat
      if (beat.inbox !== undefined) pods?.inboxIs(beat.inbox)
      if (pods?.isFenced()) pods.unfence()
    },
  }
}

/** Looks often instead of sleeping to the deadline: a timer stands still while the machine does. */
async function watchFence(
  { clock, log }: HostOptions,
  pods: Pods,
  lastBeat: () => AcceptedBeat | undefined,
  signal: AbortSignal,
): Promise<void> {
  const once = onChange(log)
  while (!signal.aborted) {
    await clock.wait(FENCE_LOOK_MS, signal)
    const beat = lastBeat()
    if (!beat || !pods.needsFence() || signal.aborted) continue
    const verdict = judgeFence(beat, { steadyMs: clock.steadyMs(), wallMs: clock.wallMs() })
    if (verdict.kind === 'safe') continue
    const silentSeconds = Math.round(verdict.silentMs / 1_000)
    if (!pods.isFenced()) log.warn(`cut off for ${silentSeconds} s: fencing this host`)
    await fenceNow(pods, once)
    if (pods.needsFence()) await clock.wait(FENCE_RETRY_MS, signal)
  }
}

async function fenceNow(pods: Pods, log: Log): Promise<void> {
  const { ok, message } = await pods.fence()
  log.warn(ok ? `fenced: ${message}` : `NOT fenced, what runs may run elsewhere, too: ${message}`)
}

async function keepToken(options: HostOptions, term: AbortController): Promise<void> {
  const { clock, credentials } = options
  if (!credentials) return
  while (!term.signal.aborted) {
    await clock.wait(TOKEN_LOOK_MS, term.signal)
    if (!term.signal.aborted && credentials.isRenewalDue()) await renewToken(options, term)
  }
}

/** A token that is refused its successor was made for an earlier Node of this name. */
async function renewToken({ credentials }: HostOptions, term: AbortController): Promise<void> {
  if ((await credentials?.renew()) === 'refused') term.abort('tokenVoid')
}

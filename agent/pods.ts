/**
 * Knows the pods of this host. They are listed when the inbox number in a beat's answer changed, at
 * once and once more a little later because the index behind the list may lag, and every five
 * minutes. No watch is held.
 */
import type { Pod } from '../shared/kube/objects.ts'
import { alarm } from './alarm.ts'
import { type Client, outcomeOf } from './client.ts'
import type { Clock } from './clock.ts'
import type { Log } from './log.ts'
import type { DriverResult, PodDriver } from './pod-driver.ts'
import { forgettable, type KnownPod, mayRun, type PodAction, planPods, uidOf } from './pod-plan.ts'
import { podStatusPatch } from './pod-status.ts'
import { STRATEGIC_MERGE } from './status-patch.ts'

const FULL_LIST_MS = 300_000
const INDEX_LAG_MS = 5_000
const RETRY_MS = 15_000
/** Between two lists: a hundred pods that start one after another are no reason for a hundred. */
const LIST_GAP_MS = 1_000
/** A start is told once, so a refusal for now is not taken for an answer. */
const TELL = { tries: 5, pauseMs: 1_000 }
/** Hooks at once; the rest wait their turn. */
const AT_ONCE = 8

export interface PodsOptions {
  readonly nodeName: string
  readonly client: Client
  readonly clock: Clock
  readonly driver: PodDriver
  readonly log: Log
  readonly signal: AbortSignal
  /** What ran under the Node before this one: what the new one has no pod for is stopped. */
  readonly known?: Map<string, KnownPod>
}

export interface Pods {
  readonly done: Promise<void>
  inboxIs(inbox: number): void
  /** Stops everything at once and starts nothing until `unfence`. */
  fence(): Promise<DriverResult>
  /** A beat was taken: work may be done. So it begins, too. */
  unfence(): void
  isFenced(): boolean
  /** Not fenced, or something may run in spite of it. */
  needsFence(): boolean
}

export function runPods(options: PodsOptions): Pods {
  const { clock, driver, signal } = options
  const bell = alarm(clock)
  const state = freshState(options, bell)
  let inbox: number | undefined
  const loop = async () => {
    while (!signal.aborted) {
      const isHeld = state.isFenced || state.isFencing
      const nextMs = isHeld ? FULL_LIST_MS : await lookOnce(options, state)
      if (!isHeld) await clock.wait(LIST_GAP_MS, signal)
      await bell.sleep(nextMs - LIST_GAP_MS, signal)
    }
  }
  return {
    done: loop(),
    isFenced: () => state.isFenced,
    needsFence: () => !state.isFenced || [...state.known.values()].some(mayRun),
    inboxIs(seen) {
      if (seen === inbox) return
      inbox = seen
      state.again = 1
      bell.ring()
    },
    fence: () => fence(driver, state),
    unfence() {
      state.isFenced = false
      bell.ring()
    },
  }
}

interface State {
  readonly known: Map<string, KnownPod>
  /** What is under way, or rests after a failure. */
  readonly busy: Set<string>
  /** How much of that is under way. */
  running: number
  /** There was more to do than there was room for. */
  isCrowded: boolean
  /** Lists still owed to a lagging index. */
  again: number
  isFenced: boolean
  /** The hook is at work: what starts beside it might be stopped by it. */
  isFencing: boolean
  /** How often it was fenced, so that a start notices a fence that came meanwhile. */
  fences: number
  readonly bell: { ring(): void }
}

const freshState = ({ known = new Map() }: PodsOptions, bell: State['bell']): State => ({
  known,
  busy: new Set(),
  running: 0,
  isCrowded: false,
  again: 0,
  // Until a beat was taken nobody counts on this host, and nothing could tell it to fence in time.
  isFenced: true,
  isFencing: false,
  fences: 0,
  bell,
})

/** What it could not stop is remembered, so that it is tried again. */
async function fence(driver: PodDriver, state: State): Promise<DriverResult> {
  state.isFenced = true
  state.isFencing = true
  state.fences++
  const suspects = [...state.known.values()].filter(mayRun).map(({ pod }) => pod)
  // When we are let back in, whatever is still ours is started anew.
  for (const pod of suspects) state.known.set(uidOf(pod), { pod, state: 'attempted' })
  try {
    const result = await driver.fence(suspects)
    for (const pod of result.ok ? suspects : []) state.known.delete(uidOf(pod))
    return result
  } finally {
    state.isFencing = false
    state.bell.ring()
  }
}

async function lookOnce(options: PodsOptions, state: State): Promise<number> {
  const { client, nodeName } = options
  const selector = encodeURIComponent(`spec.nodeName=${nodeName}`)
  const answer = await client.send({
    method: 'GET',
    path: `/api/v1/pods?fieldSelector=${selector}`,
  })
  if (outcomeOf(answer) !== 'ok') {
    options.log.warn(`cannot list the pods of this host: ${answer.why}`)
    return Math.max(RETRY_MS, answer.retryAfterMs ?? 0)
  }
  if (state.isFenced || state.isFencing) return FULL_LIST_MS
  const listed = (answer.body as { items?: readonly Pod[] }).items ?? []
  for (const uid of forgettable(listed, state.known)) state.known.delete(uid)
  const actions = planPods(listed, state.known, state.busy)
  const room = AT_ONCE - state.running
  state.isCrowded = actions.length > room
  for (const action of actions.slice(0, room)) perform(options, state, action)
  if (state.again > 0) {
    state.again--
    return INDEX_LAG_MS
  }
  return FULL_LIST_MS
}

function perform(options: PodsOptions, state: State, action: PodAction): void {
  const uid = uidOf(action.pod)
  state.busy.add(uid)
  state.running++
  act(options, state, action)
    .catch((error: Error) => ({ ok: false, message: error.message }))
    .then(async (result) => {
      state.running--
      const { namespace, name } = action.pod.metadata
      const text = `${action.kind} ${namespace}/${name}: ${result.message}`
      if (result.ok) options.log.info(text)
      else options.log.warn(text)
      // What failed is tried again, after a pause in which others have their turn.
      if (!result.ok && state.isCrowded) state.bell.ring()
      if (!result.ok) await options.clock.wait(RETRY_MS, options.signal)
      state.busy.delete(uid)
      if (!options.signal.aborted) state.bell.ring()
    })
}

async function act(options: PodsOptions, state: State, action: PodAction): Promise<DriverResult> {
  const { driver } = options
  const { pod } = action
  if (action.kind === 'start') return start(options, state, pod)
  if (action.kind === 'lookThenStop' && (await isStillThere(options, pod))) {
    return { ok: false, message: 'not in the list, yet still there' }
  }
  if (action.kind !== 'confirm') {
    const stopped = await driver.stop(pod)
    if (!stopped.ok) return stopped
  }
  if (action.kind === 'lookThenStop') {
    state.known.delete(uidOf(pod))
    return { ok: true, message: 'stopped' }
  }
  state.known.set(uidOf(pod), { pod, state: 'stopped' })
  return confirm(options, state, pod)
}

async function start(options: PodsOptions, state: State, pod: Pod): Promise<DriverResult> {
  const { fences } = state
  // From here on something may run, whatever becomes of the start.
  state.known.set(uidOf(pod), { pod, state: 'attempted' })
  const result = await options.driver.start(pod)
  if (state.fences !== fences) return startedIntoFence(options, state, pod)
  if (result.ok) state.known.set(uidOf(pod), { pod, state: 'started' })
  await tellStatus(options, pod, result)
  return result
}

/** The fence came while it was starting, and may have passed it by. */
async function startedIntoFence({ driver }: PodsOptions, state: State, pod: Pod) {
  state.known.set(uidOf(pod), { pod, state: 'attempted' })
  if (!state.isFenced) return { ok: false, message: 'fenced while it was starting' }
  const result = await driver.fence([pod])
  if (result.ok) state.known.delete(uidOf(pod))
  return result
}

const podPath = ({ metadata: { namespace = '', name = '' } }: Pod) =>
  `/api/v1/namespaces/${encodeURIComponent(namespace)}/pods/${encodeURIComponent(name)}`

async function isStillThere({ client }: PodsOptions, pod: Pod): Promise<boolean> {
  const answer = await client.send({ method: 'GET', path: podPath(pod) })
  if (answer.code === 404) return false
  // Not sure is not gone.
  return outcomeOf(answer) !== 'ok' || uidOf(answer.body as Pod) === uidOf(pod)
}

/** The uid keeps us from deleting a successor of the same name. */
async function confirm({ client }: PodsOptions, state: State, pod: Pod): Promise<DriverResult> {
  const answer = await client.send({
    method: 'DELETE',
    path: podPath(pod),
    body: {
      apiVersion: 'v1',
      kind: 'DeleteOptions',
      gracePeriodSeconds: 0,
      preconditions: { uid: uidOf(pod) },
    },
  })
  const isGone = outcomeOf(answer) === 'ok' || answer.code === 404 || answer.code === 409
  if (isGone) state.known.set(uidOf(pod), { pod, state: 'gone' })
  return { ok: isGone, message: isGone ? 'stopped and confirmed' : answer.why }
}

async function tellStatus(options: PodsOptions, pod: Pod, result: DriverResult): Promise<void> {
  const { client, clock, signal } = options
  for (let tries = 1; tries <= TELL.tries && !signal.aborted; tries++) {
    const answer = await client.send({
      method: 'PATCH',
      path: `${podPath(pod)}/status`,
      body: podStatusPatch(result, clock.wallMs()),
      contentType: STRATEGIC_MERGE,
    })
    if (outcomeOf(answer) !== 'error') return
    await clock.wait(Math.max(TELL.pauseMs * tries, answer.retryAfterMs ?? 0), signal)
  }
}

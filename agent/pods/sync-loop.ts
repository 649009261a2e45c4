/**
 * Keeps the pods of this host as the service wants them. They are listed every five minutes and
 * when the inbox number in the response to a beat changed: at once, and again a little later,
 * because the index behind the list may lag. No watch is held.
 */
import type { Pod } from '../../shared/kube/objects.ts'
import { outcomeOf, type ServiceClient } from '../client.ts'
import { type AgentClock, type WakeableSleep, wakeableSleep } from '../clock.ts'
import type { Log } from '../log.ts'
import type { DriverResult, PodDriver } from './driver.ts'
import { forgettable, mayRun, type PodAction, planPods, type TrackedPod, uidOf } from './plan.ts'
import { actOnPod, type PodWorker } from './worker.ts'

const FULL_LIST_MS = 300_000
const INDEX_LAG_MS = 5_000
const RETRY_MS = 15_000
/** Between two lists: a hundred pods that start one after another must not cause a hundred lists. */
const LIST_GAP_MS = 1_000
/** Actions at once; the others wait. */
const AT_ONCE = 8

interface PodSyncOptions {
  readonly nodeName: string
  readonly client: ServiceClient
  readonly clock: AgentClock
  readonly driver: PodDriver
  readonly log: Log
  readonly signal: AbortSignal
  /** What ran under the previous Node of this name: pods the new one does not have are stopped. */
  readonly tracked?: Map<string, TrackedPod>
}

export interface PodSyncLoop {
  readonly done: Promise<void>
  inboxIs(inbox: number): void
  /** Stops everything at once and starts nothing until `unfence`. */
  fence(): Promise<DriverResult>
  /** A beat was accepted: pods may run. Also what makes the first sync begin. */
  unfence(): void
  isFenced(): boolean
  /** Not fenced, or something may run in spite of it. */
  needsFence(): boolean
}

export function runPodSyncLoop(options: PodSyncOptions): PodSyncLoop {
  const { clock, driver, signal } = options
  const sleep = wakeableSleep(clock)
  const state = initialState(options, sleep)
  let inbox: number | undefined
  const loop = async () => {
    while (!signal.aborted) {
      const isHeld = state.isFenced || state.isFencing
      const nextMs = isHeld ? FULL_LIST_MS : await syncPods(options, state)
      if (!isHeld) await clock.wait(LIST_GAP_MS, signal)
      await sleep.sleep(nextMs - LIST_GAP_MS, signal)
    }
  }
  return {
    done: loop(),
    isFenced: () => state.isFenced,
    needsFence: () => !state.isFenced || [...state.tracked.values()].some(mayRun),
    inboxIs(seen) {
      if (seen === inbox) return
      inbox = seen
      state.extraLists = 1
      sleep.wake()
    },
    fence: () => fence(driver, state),
    unfence() {
      state.isFenced = false
      sleep.wake()
    },
  }
}

interface State {
  readonly tracked: Map<string, TrackedPod>
  /** Uids of pods with an action under way, or in the pause after a failed one. */
  readonly busy: Set<string>
  /** How many actions are under way. */
  running: number
  /** There were more actions than may run at once. */
  isCrowded: boolean
  /** Lists still owed because the index may lag. */
  extraLists: number
  isFenced: boolean
  /** The fence hook is running: a pod started now might be stopped by it. */
  isFencing: boolean
  fences: number
  readonly sleep: WakeableSleep
}

const initialState = ({ tracked = new Map() }: PodSyncOptions, sleep: WakeableSleep): State => ({
  tracked,
  busy: new Set(),
  running: 0,
  isCrowded: false,
  extraLists: 0,
  // Before the first accepted beat there is no deadline by which this host could fence itself.
  isFenced: true,
  isFencing: false,
  fences: 0,
  sleep,
})

/** Pods that it could not stop stay tracked as attempted, so that the fence is tried again. */
async function fence(driver: PodDriver, state: State): Promise<DriverResult> {
  state.isFenced = true
  state.isFencing = true
  state.fences++
  const suspects = [...state.tracked.values()].filter(mayRun).map(({ pod }) => pod)
  // Attempted, not started: after `unfence` those still assigned to this host are started again.
  for (const pod of suspects) state.tracked.set(uidOf(pod), { pod, state: 'attempted' })
  try {
    const result = await driver.fence(suspects)
    for (const pod of result.ok ? suspects : []) state.tracked.delete(uidOf(pod))
    return result
  } finally {
    state.isFencing = false
    state.sleep.wake()
  }
}

/** Lists the pods and begins what is to be done. Returns when to list again. */
async function syncPods(options: PodSyncOptions, state: State): Promise<number> {
  const { client, nodeName } = options
  const selector = encodeURIComponent(`spec.nodeName=${nodeName}`)
  const response = await client.send({
    method: 'GET',
    path: `/api/v1/pods?fieldSelector=${selector}`,
  })
  if (outcomeOf(response) !== 'ok') {
    options.log.warn(`cannot list the pods of this host: ${response.why}`)
    return Math.max(RETRY_MS, response.retryAfterMs ?? 0)
  }
  if (state.isFenced || state.isFencing) return FULL_LIST_MS
  const listed = (response.body as { items?: readonly Pod[] }).items ?? []
  for (const uid of forgettable(listed, state.tracked)) state.tracked.delete(uid)
  const actions = planPods(listed, state.tracked, state.busy)
  const room = AT_ONCE - state.running
  state.isCrowded = actions.length > room
  for (const action of actions.slice(0, room)) void dispatch(options, state, action)
  if (state.extraLists > 0) {
    state.extraLists--
    return INDEX_LAG_MS
  }
  return FULL_LIST_MS
}

async function dispatch(options: PodSyncOptions, state: State, action: PodAction): Promise<void> {
  const { log, clock, signal } = options
  const uid = uidOf(action.pod)
  state.busy.add(uid)
  state.running++
  const result = await actOnPod(workerOf(options, state), action).catch((error: Error) => ({
    ok: false,
    message: error.message,
  }))
  state.running--
  const { namespace, name } = action.pod.metadata
  const text = `${action.kind} ${namespace}/${name}: ${result.message}`
  if (result.ok) log.info(text)
  else log.warn(text)
  // A failed action is retried after a pause, in which others may run.
  if (!result.ok && state.isCrowded) state.sleep.wake()
  if (!result.ok) await clock.wait(RETRY_MS, signal)
  state.busy.delete(uid)
  if (!signal.aborted) state.sleep.wake()
}

const workerOf = (options: PodSyncOptions, state: State): PodWorker => ({
  ...options,
  tracked: state.tracked,
  isFenced: () => state.isFenced,
  fenceCount: () => state.fences,
})

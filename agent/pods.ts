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
import { forgettable, type KnownPod, type PodAction, planPods, uidOf } from './pod-plan.ts'
import { podStatusPatch } from './pod-status.ts'
import { STRATEGIC_MERGE } from './status-patch.ts'

const FULL_LIST_MS = 300_000
const INDEX_LAG_MS = 5_000
const RETRY_MS = 15_000
/** Hooks at once; the rest wait their turn. */
const AT_ONCE = 8

export interface PodsOptions {
  readonly nodeName: string
  readonly client: Client
  readonly clock: Clock
  readonly driver: PodDriver
  readonly log: Log
  readonly signal: AbortSignal
}

export interface Pods {
  readonly done: Promise<void>
  inboxIs(inbox: number): void
  /** Stops everything at once and starts nothing until `unfence`. */
  fence(): Promise<DriverResult>
  /** A beat was taken: work may be done. So it begins, too. */
  unfence(): void
  isFenced(): boolean
}

export function runPods(options: PodsOptions): Pods {
  const { clock, driver, signal } = options
  const bell = alarm(clock)
  // Until a beat was taken nobody counts on this host, and nothing could tell it to fence in time.
  const state: State = { known: new Map(), busy: new Set(), again: 0, isFenced: true, bell }
  let inbox: number | undefined
  const loop = async () => {
    while (!signal.aborted) {
      const nextMs = state.isFenced ? FULL_LIST_MS : await lookOnce(options, state)
      await bell.sleep(nextMs, signal)
    }
  }
  return {
    done: loop(),
    isFenced: () => state.isFenced,
    inboxIs(seen) {
      if (seen === inbox) return
      inbox = seen
      state.again = 1
      bell.ring()
    },
    fence() {
      state.isFenced = true
      const running = [...state.known.values()].filter((each) => each.state === 'started')
      // When we are let back in, whatever is still ours is started anew.
      state.known.clear()
      return driver.fence(running.map(({ pod }) => pod))
    },
    unfence() {
      state.isFenced = false
      bell.ring()
    },
  }
}

interface State {
  readonly known: Map<string, KnownPod>
  readonly busy: Set<string>
  /** Lists still owed to a lagging index. */
  again: number
  isFenced: boolean
  readonly bell: { ring(): void }
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
  if (state.isFenced) return FULL_LIST_MS
  const listed = (answer.body as { items?: readonly Pod[] }).items ?? []
  for (const uid of forgettable(listed, state.known)) state.known.delete(uid)
  const actions = planPods(listed, state.known, state.busy)
  for (const action of actions.slice(0, AT_ONCE - state.busy.size)) perform(options, state, action)
  if (state.again > 0) {
    state.again--
    return INDEX_LAG_MS
  }
  return FULL_LIST_MS
}

function perform(options: PodsOptions, state: State, action: PodAction): void {
  const uid = uidOf(action.pod)
  state.busy.add(uid)
  act(options, state, action)
    .catch((error: Error) => ({ ok: false, message: error.message }))
    .then(async (result) => {
      const { namespace, name } = action.pod.metadata
      const text = `${action.kind} ${namespace}/${name}: ${result.message}`
      if (result.ok) options.log.info(text)
      else options.log.warn(text)
      // What failed is tried again, after a pause.
      if (!result.ok) await options.clock.wait(RETRY_MS, options.signal)
      state.busy.delete(uid)
      if (!options.signal.aborted) state.bell.ring()
    })
}

async function act(options: PodsOptions, state: State, action: PodAction): Promise<DriverResult> {
  const { driver } = options
  const { pod } = action
  if (action.kind === 'start') {
    const result = await driver.start(pod)
    // The fence passed it by while it was starting.
    if (result.ok && state.isFenced) return driver.fence([pod])
    if (result.ok) state.known.set(uidOf(pod), { pod, state: 'started' })
    await tellStatus(options, pod, result)
    return result
  }
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
  await options.client.send({
    method: 'PATCH',
    path: `${podPath(pod)}/status`,
    body: podStatusPatch(result, options.clock.wallMs()),
    contentType: STRATEGIC_MERGE,
  })
}

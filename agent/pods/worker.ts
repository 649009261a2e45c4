/** Does one action on one pod: starts or stops it with the driver, and tells the service. */
import type { Pod } from '../../shared/kube/objects.ts'
import { formatTime } from '../../shared/kube/time.ts'
import { outcomeOf, type ServiceClient, strategicMergePatch } from '../client.ts'
import type { AgentClock } from '../clock.ts'
import type { DriverResult, PodDriver } from './driver.ts'
import { type PodAction, type TrackedPod, uidOf } from './plan.ts'

/** The status of a start is sent once, so a failing request is retried. */
const STATUS_TRIES = 5
const STATUS_PAUSE_MS = 1_000

export interface PodWorker {
  readonly client: ServiceClient
  readonly clock: AgentClock
  readonly driver: PodDriver
  readonly signal: AbortSignal
  /** By uid. */
  readonly tracked: Map<string, TrackedPod>
  isFenced(): boolean
  /** How often the host was fenced, so that a start notices a fence that came meanwhile. */
  fenceCount(): number
}

export async function actOnPod(worker: PodWorker, action: PodAction): Promise<DriverResult> {
  const { pod } = action
  if (action.kind === 'start') return startPod(worker, pod)
  if (action.kind === 'stopIfGone' && (await exists(worker, pod))) {
    return { ok: false, message: 'not in the list, yet still there' }
  }
  if (action.kind !== 'confirm') {
    const stopped = await worker.driver.stop(pod)
    if (!stopped.ok) return stopped
  }
  if (action.kind === 'stopIfGone') {
    worker.tracked.delete(uidOf(pod))
    return { ok: true, message: 'stopped' }
  }
  track(worker, pod, 'stopped')
  return confirmDeletion(worker, pod)
}

const track = ({ tracked }: PodWorker, pod: Pod, state: TrackedPod['state']) =>
  tracked.set(uidOf(pod), { pod, state })

async function startPod(worker: PodWorker, pod: Pod): Promise<DriverResult> {
  const fences = worker.fenceCount()
  // From here on something may run, also when the start fails.
  track(worker, pod, 'attempted')
  const result = await worker.driver.start(pod)
  if (worker.fenceCount() !== fences) return fenceStartedPod(worker, pod)
  if (result.ok) track(worker, pod, 'started')
  await sendPodStatus(worker, pod, result)
  return result
}

/** The host was fenced while the pod was starting, and the fence may have missed it. */
async function fenceStartedPod(worker: PodWorker, pod: Pod): Promise<DriverResult> {
  track(worker, pod, 'attempted')
  if (!worker.isFenced()) return { ok: false, message: 'fenced while it was starting' }
  const result = await worker.driver.fence([pod])
  if (result.ok) worker.tracked.delete(uidOf(pod))
  return result
}

const podPath = ({ metadata: { namespace = '', name = '' } }: Pod) =>
  `/api/v1/namespaces/${encodeURIComponent(namespace)}/pods/${encodeURIComponent(name)}`

/** A request that failed counts as there: a pod is not stopped on doubt. */
async function exists({ client }: PodWorker, pod: Pod): Promise<boolean> {
  const response = await client.send({ method: 'GET', path: podPath(pod) })
  if (response.code === 404) return false
  return outcomeOf(response) !== 'ok' || uidOf(response.body as Pod) === uidOf(pod)
}

/** The uid precondition keeps the agent from deleting a successor of the same name. */
async function confirmDeletion(worker: PodWorker, pod: Pod): Promise<DriverResult> {
  const response = await worker.client.send({
    method: 'DELETE',
    path: podPath(pod),
    body: {
      apiVersion: 'v1',
      kind: 'DeleteOptions',
      gracePeriodSeconds: 0,
      preconditions: { uid: uidOf(pod) },
    },
  })
  // A conflict is a successor of the same name, or a pod that kept changing.
  const isConflict = response.code === 409 && !(await exists(worker, pod))
  const isGone = outcomeOf(response) === 'ok' || response.code === 404 || isConflict
  if (isGone) track(worker, pod, 'gone')
  return { ok: isGone, message: isGone ? 'stopped and confirmed' : response.why }
}

async function sendPodStatus(worker: PodWorker, pod: Pod, result: DriverResult): Promise<void> {
  const { client, clock, signal } = worker
  for (let tries = 1; tries <= STATUS_TRIES && !signal.aborted; tries++) {
    const body = podStatusPatch(pod, result, clock.wallMs())
    const response = await client.send(strategicMergePatch(`${podPath(pod)}/status`, body))
    if (outcomeOf(response) !== 'error') return
    await clock.wait(Math.max(STATUS_PAUSE_MS * tries, response.retryAfterMs ?? 0), signal)
  }
}

/** With the uid, as the kubelet sends it: a repeat may meet a successor of the same name. */
function podStatusPatch(pod: Pod, { ok, message }: DriverResult, nowMs: number) {
  const ready = {
    type: 'Ready',
    status: ok ? 'True' : 'False',
    lastTransitionTime: formatTime(nowMs),
    reason: ok ? 'Started' : 'StartFailed',
    message: ok ? '' : message,
  }
  const status = { phase: ok ? 'Running' : 'Pending', conditions: [ready] }
  return { metadata: { uid: uidOf(pod) }, status }
}

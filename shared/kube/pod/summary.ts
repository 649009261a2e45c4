/** The columns of `kubectl get pods`, by its own rules, from what the pod's host reported. */
import type { Pod } from '../objects.ts'
import { parseTimeMs } from '../time.ts'

interface PodSummary {
  readonly reason: string
  readonly ready: number
  readonly total: number
  readonly restarts: number
  readonly restartedAtMs?: number
}

interface Terminated {
  readonly reason?: string
  readonly signal?: number
  readonly exitCode?: number
  readonly finishedAt?: string
}

interface ContainerStatus {
  readonly name: string
  readonly ready?: boolean
  readonly started?: boolean
  readonly restartCount?: number
  readonly lastState?: { readonly terminated?: Terminated }
  readonly state?: {
    readonly waiting?: { readonly reason?: string }
    readonly running?: object
    readonly terminated?: Terminated
  }
}

interface Container {
  readonly name: string
  readonly restartPolicy?: string
}

const listOf = <T>(value: unknown): readonly T[] => (Array.isArray(value) ? value : [])

export function summarize(pod: Pod): PodSummary {
  const sidecars = initContainersOf(pod).filter(restartable)
  const total = (pod.spec?.containers ?? []).length + sidecars.length
  const init = summarizeInit(pod)
  const base = init.reason ?? podReason(pod)
  const starting = init.reason !== undefined && !conditionIs(pod, 'Initialized')
  const main = starting ? undefined : summarizeMain(pod, base)
  const counted = main
    ? [
        ...init.statuses.filter(({ name }) => sidecars.some((one) => one.name === name)),
        ...main.statuses,
      ]
    : init.statuses
  return {
    reason: deletionReason(pod, main?.reason ?? base),
    ready: init.ready + (main?.ready ?? 0),
    total,
    ...restartsOf(counted),
  }
}

const initContainersOf = ({ spec }: Pod) => listOf<Container>(spec?.initContainers)
const restartable = (container: Container | undefined) => container?.restartPolicy === 'Always'

const conditionIs = ({ status }: Pod, type: string): boolean =>
  (status?.conditions ?? []).some((one) => one.type === type && one.status === 'True')

function podReason({ status }: Pod): string {
  const gated = (status?.conditions ?? []).some(
    ({ type, reason }) => type === 'PodScheduled' && reason === 'SchedulingGated',
  )
  return gated ? 'SchedulingGated' : status?.reason || (status?.phase ?? '')
}

/** Goes through the init containers up to the first that has not finished its part. */
function summarizeInit(pod: Pod) {
  const containers = initContainersOf(pod)
  const all = listOf<ContainerStatus>(pod.status?.initContainerStatuses)
  let ready = 0
  for (const [i, status] of all.entries()) {
    const sidecar = restartable(containers.find(({ name }) => name === status.name))
    const { terminated } = status.state ?? {}
    if (terminated && (terminated.exitCode ?? 0) === 0) continue
    if (sidecar && status.started) {
      if (status.ready) ready++
      continue
    }
    const progress = `${i}/${containers.length}`
    return {
      reason: `Init:${initReason(status) ?? progress}`,
      ready,
      statuses: all.slice(0, i + 1),
    }
  }
  return { reason: undefined, ready, statuses: all }
}

function initReason({ state }: ContainerStatus): string | undefined {
  if (state?.terminated) return terminatedReason(state.terminated)
  const waiting = state?.waiting?.reason
  return waiting && waiting !== 'PodInitializing' ? waiting : undefined
}

const terminatedReason = ({ reason, signal, exitCode }: Terminated): string =>
  reason || (signal ? `Signal:${signal}` : `ExitCode:${exitCode ?? 0}`)

/** The first container that has a reason wins, as kubectl reads them from the last backwards. */
function summarizeMain(pod: Pod, base: string) {
  const statuses = listOf<ContainerStatus>(pod.status?.containerStatuses)
  const reasons = statuses.map(containerReason)
  const ready = statuses.filter((one, i) => !reasons[i] && one.ready && one.state?.running).length
  const reason = reasons.find((one) => one !== undefined) ?? base
  // One container has ended well, another goes on: the pod has not completed.
  if (reason !== 'Completed' || ready === 0) return { reason, ready, statuses }
  return { reason: conditionIs(pod, 'Ready') ? 'Running' : 'NotReady', ready, statuses }
}

function containerReason({ state }: ContainerStatus): string | undefined {
  if (state?.waiting?.reason) return state.waiting.reason
  return state?.terminated && terminatedReason(state.terminated)
}

function deletionReason({ metadata, status }: Pod, reason: string): string {
  if (!metadata.deletionTimestamp) return reason
  if (status?.reason === 'NodeLost') return 'Unknown'
  return isFinished(status?.phase) ? reason : 'Terminating'
}

export const isFinished = (phase: string | undefined): boolean =>
  phase === 'Succeeded' || phase === 'Failed'

function restartsOf(statuses: readonly ContainerStatus[]) {
  const restarts = statuses.reduce((sum, { restartCount }) => sum + (restartCount ?? 0), 0)
  const ends = statuses.flatMap(({ lastState }) => {
    const finishedAt = lastState?.terminated?.finishedAt
    return (finishedAt && parseTimeMs(finishedAt)) || []
  })
  return { restarts, restartedAtMs: ends.length > 0 ? Math.max(...ends) : undefined }
}

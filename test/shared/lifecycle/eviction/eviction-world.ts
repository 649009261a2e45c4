/** A tiny world around the eviction decision that remembers nothing but nodes and pods. */
import type { Pod, Taint, Toleration } from '../../../../shared/kube/objects.ts'
import { formatTime } from '../../../../shared/kube/time.ts'
import { coreEvents } from '../../../../shared/lifecycle/events/core-events.ts'
import {
  readCountdown,
  withCountdown,
  withoutCountdown,
} from '../../../../shared/lifecycle/eviction/countdown.ts'
import { emittedBy, evictedPod } from '../../../../shared/lifecycle/eviction/evicted-pod.ts'
import { type EvictionVerdict, judgePod } from '../../../../shared/lifecycle/eviction/judge-pod.ts'

export interface GivenPod {
  readonly name: string
  readonly node: string
  readonly tolerations: readonly Toleration[]
  readonly phase?: string
}

export interface GivenTaint {
  readonly key: string
  readonly value?: string
  readonly effect: Taint['effect']
  /** Seconds from the start of the world. */
  readonly timeAdded?: number | null
}

export interface ToldEvent {
  readonly at: number
  readonly pod: string
  readonly message: string
}

const START_MS = Date.UTC(2024, 0, 1)
/** Kubernetes' retries within one pass; ours retries in the next tick, so this ships nowhere. */
const EVICTION_ATTEMPTS = 5
/** How soon a failed eviction is tried again: the monitor's next tick. */
const RETRY_MS = 5_000

export function evictionWorld() {
  const nodes = new Map<string, readonly Taint[]>()
  const pods = new Map<string, Pod>()
  const deletedAt = new Map<string, number>()
  const deleteCalls = new Map<string, number>()
  const condemned = new Set<string>()
  const events: ToldEvent[] = []
  let nowMs = START_MS
  let failures = 0
  let wakeAtMs = Number.POSITIVE_INFINITY

  const seconds = () => (nowMs - START_MS) / 1000

  function apply(name: string, pod: Pod, verdict: EvictionVerdict) {
    if (verdict.kind === 'evict' && !tryDelete(name, pod)) return
    const after = knownPod(name, pod)
    for (const { message } of coreEvents(
      { kind: 'object', after, emits: emittedBy(verdict) },
      [],
    )) {
      events.push({ at: seconds(), pod: name, message })
    }
    if (verdict.kind === 'cancel') pods.set(name, withoutCountdown(pod))
    if (verdict.kind === 'wait') {
      if (verdict.countdown !== 'running') pods.set(name, withCountdown(pod, verdict.due))
      wakeAtMs = Math.min(wakeAtMs, verdict.dueAtMs)
    }
  }

  function tryDelete(name: string, pod: Pod): boolean {
    const tries = Math.min(failures + 1, EVICTION_ATTEMPTS)
    deleteCalls.set(name, (deleteCalls.get(name) ?? 0) + tries)
    const failed = failures >= EVICTION_ATTEMPTS
    failures = Math.max(0, failures - EVICTION_ATTEMPTS)
    if (failed) {
      wakeAtMs = Math.min(wakeAtMs, nowMs + RETRY_MS)
      return false
    }
    const evicted = evictedPod(pod, nowMs)
    // Its host confirms at once: in the vectors a deleted pod is gone.
    pods.delete(name)
    deletedAt.set(name, deletedAt.get(name) ?? seconds())
    if (isTarget(evicted.pod)) condemned.add(name)
    return true
  }

  function judgeAll() {
    wakeAtMs = Number.POSITIVE_INFINITY
    for (const [name, pod] of [...pods]) {
      const taints = nodes.get(pod.spec?.nodeName ?? '')
      const due = readCountdown(pod)
      apply(name, pod, judgePod({ pod, taints, due, nowMs, pausedMs: () => 0 }))
    }
  }

  /** Wakes at every deadline on the way, as a monitor does between its ticks. */
  function advance(toSeconds: number) {
    const toMs = START_MS + toSeconds * 1000
    while (wakeAtMs <= toMs) {
      nowMs = Math.max(nowMs, wakeAtMs)
      judgeAll()
    }
    nowMs = toMs
  }

  return {
    advance,
    putNode(name: string, taints: readonly GivenTaint[]) {
      nodes.set(name, taints.map(toTaint))
      judgeAll()
    },
    deleteNode(name: string) {
      nodes.delete(name)
      judgeAll()
    },
    putPod(given: GivenPod) {
      pods.set(given.name, storedPod(given, pods.get(given.name), formatTime(nowMs)))
      judgeAll()
    },
    deletePod(name: string) {
      const pod = pods.get(name)
      pods.delete(name)
      for (const { message } of pod
        ? coreEvents({ kind: 'object', before: knownPod(name, pod) }, [])
        : []) {
        events.push({ at: seconds(), pod: name, message })
      }
    },
    /** Nothing to forget: the world is its own memory. */
    restart: judgeAll,
    failDeletes(count: number) {
      failures = count
    },
    isScheduled: (name: string) => {
      const pod = pods.get(name)
      return pod !== undefined && readCountdown(pod) !== undefined
    },
    remembered: () =>
      [...nodes].filter(([, taints]) => taints.some(isNoExecute)).map(([name]) => name),
    seen: { deletedAt, deleteCalls, condemned, events: events as readonly ToldEvent[] },
  }
}

const knownPod = (name: string, object: Pod) => ({
  resource: 'pods',
  key: { namespace: 'default', name },
  uid: name,
  version: 1,
  object,
})

const isNoExecute = ({ effect }: Taint) => effect === 'NoExecute'

function isTarget({ status }: Pod): boolean {
  const found = status?.conditions?.find(({ type }) => type === 'DisruptionTarget')
  return found?.status === 'True' && found.reason === 'DeletionByTaintManager'
}

function toTaint({ timeAdded, ...taint }: GivenTaint): Taint {
  if (timeAdded === undefined || timeAdded === null) return taint
  return { ...taint, timeAdded: formatTime(START_MS + timeAdded * 1000) }
}

/** As the api stores it: creation and binding are stamped, and annotations survive an update. */
function storedPod(given: GivenPod, before: Pod | undefined, now: string): Pod {
  const bindsNow = given.node !== '' && !before?.spec?.nodeName
  const bound = { type: 'PodScheduled', status: 'True', lastTransitionTime: now } as const
  const conditions = before?.status?.conditions ?? []
  return {
    metadata: before?.metadata ?? {
      name: given.name,
      namespace: 'default',
      creationTimestamp: now,
    },
    spec: { nodeName: given.node, tolerations: given.tolerations },
    status: { phase: given.phase, conditions: bindsNow ? [...conditions, bound] : conditions },
  }
}

/**
 * Which pods does no host look after any more?
 *
 * Two steps, because a node that seems to be missing is read once more, directly, before its pods
 * go: `quarantine` names the nodes to read, `findGarbage` gets those that are gone.
 */
import type { Condition, Node, Pod } from '../../kube/objects.ts'
import { parseTimeMs } from '../../kube/time.ts'
import { DISRUPTION_TARGET, withPodCondition } from '../eviction/disruption-target.ts'
import { readyOf } from '../liveness/health.ts'

/**
 * Until when (ms) a missing node is given the benefit of the doubt, by name. Stored between rounds.
 */
export type Quarantine = Readonly<Record<string, number>>

const QUARANTINE_MS = 40_000
/** How long past its grace a pod may linger on a host that never confirms. */
const UNCONFIRMED_MS = 30_000

const OUT_OF_SERVICE = 'node.kubernetes.io/out-of-service'
/** Set by an agent that runs pods and so confirms their end; anything but `false` counts. */
const RUNS_PODS = 'agent.leasehold.dev/pods'

const NODE_GONE: Condition = {
  type: DISRUPTION_TARGET,
  status: 'True',
  reason: 'DeletionByPodGC',
  message: 'PodGC: node no longer exists',
}

export function quarantine(round: {
  readonly pods: readonly Pod[]
  readonly nodes: readonly Node[]
  readonly quarantine: Quarantine
  readonly nowMs: number
}): { readonly quarantine: Quarantine; readonly suspects: readonly string[] } {
  const known = new Set(round.nodes.map(({ metadata }) => metadata.name))
  const entries = Object.entries(round.quarantine)
  const serving = entries.filter(([, untilMs]) => untilMs > round.nowMs)
  const served = entries.filter(([, untilMs]) => untilMs <= round.nowMs)

  // A node whose time is up starts anew at once, so that one whose read fails is looked at again.
  const next = Object.fromEntries(serving)
  for (const name of nodeNames(round.pods)) {
    if (!known.has(name)) next[name] ??= round.nowMs + QUARANTINE_MS
  }
  const suspects = served.map(([name]) => name).filter((name) => !known.has(name))
  return { quarantine: next, suspects }
}

function nodeNames(pods: readonly Pod[]): ReadonlySet<string> {
  return new Set(pods.map(({ spec }) => spec?.nodeName ?? '').filter((name) => name !== ''))
}

/**
 * The first four are Kubernetes'; `unconfirmed` is for hosts that cannot say that a pod has ended.
 */
export type GarbageReason =
  | 'terminated'
  | 'out-of-service'
  | 'orphaned'
  | 'unscheduled'
  | 'unconfirmed'

interface Garbage {
  readonly reason: GarbageReason
  readonly pod: Pod
  /**
   * To be written before the pod is deleted; if that fails the pod stays. Absent for finished pods.
   */
  readonly patched?: Pod
}

export interface GarbageRound {
  readonly pods: readonly Pod[]
  readonly nodes: readonly Node[]
  /** Suspects that a direct read did not find. A read that failed proves nothing. */
  readonly goneNodes: ReadonlySet<string>
  readonly nowMs: number
  /** Finished pods kept as history; 0 or less keeps all. */
  readonly terminatedPodThreshold: number
}

/** In the order of Kubernetes, on one snapshot; a pod named twice goes for the first reason. */
export function findGarbage(round: GarbageRound): readonly Garbage[] {
  const nodes = new Map(round.nodes.map((node) => [node.metadata.name ?? '', node]))
  const on = (pod: Pod) => nodes.get(pod.spec?.nodeName ?? '')
  const steps: readonly (readonly [GarbageReason, readonly Pod[]])[] = [
    ['terminated', terminatedSurplus(round)],
    ['out-of-service', round.pods.filter((pod) => isTerminating(pod) && isOutOfService(on(pod)))],
    ['orphaned', round.pods.filter((pod) => round.goneNodes.has(pod.spec?.nodeName ?? ''))],
    ['unscheduled', round.pods.filter((pod) => isTerminating(pod) && !pod.spec?.nodeName)],
    ['unconfirmed', round.pods.filter((pod) => isUnconfirmed(pod, on(pod), round.nowMs))],
  ]
  const found = new Map<Pod, Garbage>()
  for (const [reason, pods] of steps) {
    for (const pod of pods) {
      if (!found.has(pod)) found.set(pod, { reason, pod, ...patchOf(pod, reason, round.nowMs) })
    }
  }
  return [...found.values()]
}

function terminatedSurplus({ pods, terminatedPodThreshold }: GarbageRound): readonly Pod[] {
  if (terminatedPodThreshold <= 0) return []
  const terminated = pods.filter(isTerminated)
  const surplus = Math.max(0, terminated.length - terminatedPodThreshold)
  return terminated.toSorted(byDispensability).slice(0, surplus)
}

/** A blank phase counts as finished, as in Kubernetes. */
function isTerminated({ status }: Pod): boolean {
  return !['Pending', 'Running', 'Unknown'].includes(status?.phase ?? '')
}

function byDispensability(a: Pod, b: Pod): number {
  const [nameA, nameB] = [a.metadata.name ?? '', b.metadata.name ?? '']
  return (
    Number(isEvictedByHost(b)) - Number(isEvictedByHost(a)) ||
    createdAtMs(a) - createdAtMs(b) ||
    Number(nameA > nameB) - Number(nameA < nameB)
  )
}

function isEvictedByHost({ status }: Pod): boolean {
  return status?.phase === 'Failed' && status.reason === 'Evicted'
}

function createdAtMs({ metadata }: Pod): number {
  return parseTimeMs(metadata.creationTimestamp ?? '') ?? 0
}

function isTerminating({ metadata }: Pod): boolean {
  return Boolean(metadata.deletionTimestamp)
}

function isOutOfService(node: Node | undefined): boolean {
  if (!node || readyOf(node)?.status === 'True') return false
  return node.spec?.taints?.some(({ key }) => key === OUT_OF_SERVICE) ?? false
}

/** Only while the host is Ready: on a silent one the pod may still run. */
function isUnconfirmed(pod: Pod, node: Node | undefined, nowMs: number): boolean {
  if (!node || readyOf(node)?.status !== 'True') return false
  if ((node.metadata.annotations?.[RUNS_PODS] ?? 'false') !== 'false') return false
  // The deletion timestamp already includes the grace.
  const endedAtMs = parseTimeMs(pod.metadata.deletionTimestamp ?? '')
  return endedAtMs !== undefined && nowMs >= endedAtMs + UNCONFIRMED_MS
}

function patchOf(pod: Pod, reason: GarbageReason, nowMs: number): { patched?: Pod } {
  const phase = pod.status?.phase
  if (phase === 'Succeeded' || phase === 'Failed') return {}

  const { generation } = pod.metadata
  const observed = generation === undefined ? {} : { observedGeneration: generation }
  const failed = { ...pod, status: { ...pod.status, phase: 'Failed', ...observed } }
  return { patched: reason === 'orphaned' ? withPodCondition(failed, NODE_GONE, nowMs) : failed }
}

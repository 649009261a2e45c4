/**
 * What happens to pods: marked not ready with their host, and evicted when their time on a tainted
 * host is up.
 */
import { readyOf } from './conditions.ts'
import { eventsOf, evict } from './evicted-pod.ts'
import { type EvictionVerdict, judgePod, type PodCase } from './eviction.ts'
import { EVICT_AT, readDue, withDue, withoutDue } from './eviction-record.ts'
import { nodeStopOf, pauseMeter, stopOf } from './holds.ts'
import { isNew } from './node-look.ts'
import { changesNode } from './node-plan.ts'
import { podsToMark } from './pods-not-ready.ts'
import { isLifecycleTaint, taintsOf } from './taints.ts'
import { isBlind, type Tick } from './tick.ts'
import type { HoldReason, KnownNode, KnownPod } from './world.ts'
import { zoneKey } from './zone-key.ts'

const NO_PODS: readonly KnownPod[] = []

/** Derived anew in every tick: whoever died between the mark and its pods loses nothing. */
export function markPods(tick: Tick, node: KnownNode, onlyIfMarked: boolean): void {
  const name = node.key.name
  const pods = podsToMark(tick.world.podsByNode.get(name) ?? NO_PODS, tick.nowMs)
  if (pods.length > 0) tick.actions.push({ do: 'markPodsNotReady', node: name, pods, onlyIfMarked })
}

/**
 * A pod bound to a host that is not ready cannot be ready either, even if the host says so itself.
 */
export function markBoundPods(tick: Tick): void {
  const silent = new Set(tick.silent.map(({ node }) => node.key.name))
  for (const pod of tick.world.boundPods ?? NO_PODS) {
    const node = tick.world.nodes.get(pod.object.spec?.nodeName ?? '')
    const ready = node && readyOf(node.object)
    if (!node || !ready || ready.status === 'True' || isNew(tick, node)) continue
    // Marked with the rest of its host's already.
    if (silent.has(node.key.name)) continue
    const pods = podsToMark([pod], tick.nowMs)
    if (pods.length === 0) continue
    tick.actions.push({ do: 'markPodsNotReady', node: node.key.name, pods, onlyIfMarked: false })
  }
}

export function decideEvictions(tick: Tick, nodeName: string, pods: readonly KnownPod[]): void {
  const node = tick.world.nodes.get(nodeName)
  const plan = tick.plans.get(nodeName)
  // The node is about to change: what its taints ask for is judged when that is written.
  if (plan && changesNode(plan)) return
  const isTainted = node?.object.spec?.taints?.some((taint) => taint.effect === 'NoExecute')
  if (!isTainted && !pods.some(isCounting)) return

  const common = caseOf(tick, node)
  for (const pod of pods) {
    const due = isCounting(pod) ? readDue(pod.object) : undefined
    act(tick, node, pod, judgePod({ ...common, pod: pod.object, due }))
  }
}

const isCounting = (pod: KnownPod) => pod.object.metadata.annotations?.[EVICT_AT] !== undefined

/** In a fleet-wide disruption lifecycle taints evict nobody; a user's own still acts. */
function caseOf(tick: Tick, node: KnownNode | undefined): Omit<PodCase, 'pod' | 'due'> {
  const { nowMs, fleet } = tick
  const taints = node && taintsOf(node.object)
  const acting = fleet.disruption === 'none' ? taints : taints?.filter((t) => !isLifecycleTaint(t))
  const pausedMs = pauseMeter(tick, node ? zoneKey(node.object) : '')
  return { taints: acting, nowMs, pausedMs, floorMs: fleet.floorMs }
}

function act(
  tick: Tick,
  node: KnownNode | undefined,
  pod: KnownPod,
  verdict: EvictionVerdict,
): void {
  const events = eventsOf(verdict, pod.key)
  if (verdict.kind === 'cancel') {
    const change = { pod, next: withoutDue(pod.object), events }
    tick.actions.push({ do: 'cancelPodDue', change })
  }
  if (verdict.kind === 'wait') {
    noteDue(tick, pod, verdict.dueAtMs)
    if (verdict.countdown === 'running' || isBlind(tick)) return
    const change = { pod, next: withDue(pod.object, verdict.due), events }
    tick.actions.push({ do: 'setPodDue', change, dueAtMs: verdict.dueAtMs })
  }
  if (verdict.kind !== 'evict') return

  const why = evictionStop(tick, node)
  if (why) {
    const zone = node ? zoneKey(node.object) : ''
    tick.holds.push({ what: 'evict', why, zone, ...(node && { node: node.key.name }) })
    return
  }
  const evicted = evict(pod.object, tick.nowMs)
  const believed = node && { node }
  const { kind: outcome, pod: next } = evicted
  tick.actions.push({ do: 'evictPod', pod, next, outcome, events, ...believed })
}

function noteDue(tick: Tick, pod: KnownPod, atMs: number): void {
  if (atMs >= tick.nowMs + tick.settings.nodeMonitorPeriodMs) return
  tick.due.push({ atMs, node: pod.object.spec?.nodeName ?? '', what: 'evict' })
}

function evictionStop(tick: Tick, node: KnownNode | undefined): HoldReason | undefined {
  return node ? nodeStopOf(tick, node.object, zoneKey(node.object)) : stopOf(tick, '')
}

/**
 * What happens to pods: marked not ready with their host, and evicted when their time on a tainted
 * host is up.
 */

import type { Node, Pod } from '../../kube/objects.ts'
import { formatTime } from '../../kube/time.ts'
import { canJudge, type DecisionDraft } from '../decision-draft.ts'
import { readyOf } from '../liveness/health.ts'
import { isNew } from '../liveness/judge-node.ts'
import { changesNode } from '../liveness/node-plan.ts'
import { isLifecycleTaint, taintsOf } from '../taints/taints.ts'
import type { Action, HoldReason, KnownNode, KnownPod, PodChange } from '../world.ts'
import { nodeHoldReason, pauseMeter, zoneHoldReason } from '../zones/holds.ts'
import { zoneKey } from '../zones/zone-state.ts'
import { EVICT_AT, readCountdown, withCountdown, withoutCountdown } from './countdown.ts'
import { emittedBy, evictedPod } from './evicted-pod.ts'
import { type EvictionVerdict, judgePod, type PodCase } from './judge-pod.ts'

const NO_PODS: readonly KnownPod[] = []

/** Derived anew in every tick: a monitor that dies between a mark and its pods loses nothing. */
export function markPods(draft: DecisionDraft, node: KnownNode, onlyIfMarked: boolean): void {
  const name = node.key.name
  const pods = podsToMark(draft.world.podsByNode.get(name) ?? NO_PODS, draft.nowMs)
  if (pods.length > 0)
    draft.actions.push({ do: 'markPodsNotReady', node: name, pods, onlyIfMarked })
}

/**
 * A pod bound to a host that is not ready cannot be ready either, even if the host says so itself.
 */
export function markBoundPods(draft: DecisionDraft): void {
  const silent = new Set(draft.silent.map(({ node }) => node.key.name))
  for (const pod of draft.world.boundPods ?? NO_PODS) {
    const node = draft.world.nodes.get(pod.object.spec?.nodeName ?? '')
    const ready = node && readyOf(node.object)
    if (!node || !ready || ready.status === 'True' || isNew(draft, node)) continue
    // Marked already, with the other pods of its node.
    if (silent.has(node.key.name)) continue
    const pods = podsToMark([pod], draft.nowMs)
    if (pods.length === 0) continue
    draft.actions.push({ do: 'markPodsNotReady', node: node.key.name, pods, onlyIfMarked: false })
  }
}

export function decideEvictions(
  draft: DecisionDraft,
  nodeName: string,
  pods: readonly KnownPod[],
): void {
  const node = draft.world.nodes.get(nodeName)
  const plan = draft.plans.get(nodeName)
  // The node is about to change: what its taints ask for is judged when that is written.
  if (plan && changesNode(plan)) return
  const isTainted = node?.object.spec?.taints?.some((taint) => taint.effect === 'NoExecute')
  if (!isTainted && !pods.some(isCounting)) return

  const common = caseOf(draft, node)
  for (const pod of pods) {
    const due = isCounting(pod) ? readCountdown(pod.object) : undefined
    act(draft, node, pod, judgePod({ ...common, pod: pod.object, due }))
  }
}

const isCounting = (pod: KnownPod) => pod.object.metadata.annotations?.[EVICT_AT] !== undefined

/** In a fleet-wide disruption lifecycle taints evict no pod; an operator's own taint still does. */
function caseOf(draft: DecisionDraft, node: KnownNode | undefined): Omit<PodCase, 'pod' | 'due'> {
  const { nowMs, fleet } = draft
  const taints = node && taintsOf(node.object)
  const acting = fleet.disruption === 'none' ? taints : taints?.filter((t) => !isLifecycleTaint(t))
  const pausedMs = pauseMeter(draft, node ? zoneKey(node.object) : '')
  return { taints: acting, nowMs, pausedMs, floorMs: fleet.floorMs }
}

function act(
  draft: DecisionDraft,
  node: KnownNode | undefined,
  pod: KnownPod,
  verdict: EvictionVerdict,
): void {
  const emits = emittedBy(verdict)
  if (verdict.kind === 'cancel') {
    const change = { pod, next: withoutCountdown(pod.object), emits }
    draft.actions.push({ do: 'cancelPodDue', change })
  }
  if (verdict.kind === 'wait') {
    noteDue(draft, pod, verdict.dueAtMs)
    if (verdict.countdown === 'running' || !canJudge(draft)) return
    const change = { pod, next: withCountdown(pod.object, verdict.due), emits }
    draft.actions.push({ do: 'setPodDue', change, dueAtMs: verdict.dueAtMs })
  }
  if (verdict.kind !== 'evict') return

  const why = evictionHoldReason(draft, node)
  if (why) {
    const zone = node ? zoneKey(node.object) : ''
    draft.holds.push({ what: 'evict', why, zone, ...(node && { node: node.key.name }) })
    return
  }
  const { kind: outcome, pod: next } = evictedPod(pod.object, draft.nowMs)
  const believed = node && { node }
  draft.actions.push({ do: 'evictPod', pod, next, outcome, emits, ...believed })
}

function noteDue(draft: DecisionDraft, pod: KnownPod, atMs: number): void {
  if (atMs >= draft.nowMs + draft.settings.nodeMonitorPeriodMs) return
  draft.due.push({ atMs, node: pod.object.spec?.nodeName ?? '', what: 'evict' })
}

function evictionHoldReason(
  draft: DecisionDraft,
  node: KnownNode | undefined,
): HoldReason | undefined {
  return node ? nodeHoldReason(draft, node, zoneKey(node.object)) : zoneHoldReason(draft, '')
}

/** The pods of a silent host are not ready, whatever they last said of themselves. */

/**
 * Those that still call themselves ready. What has no PodReady condition, or is not ready, is left
 * alone.
 */
export function podsToMark(pods: readonly KnownPod[], nowMs: number): readonly PodChange[] {
  const changes: PodChange[] = []
  for (const pod of pods) {
    const next = markedNotReady(pod.object, nowMs)
    if (next) changes.push({ pod, next, emits: ['NodeNotReady'] })
  }
  return changes
}

/**
 * Of the pods that were to be marked, those that are still owed it: asked for again in the next
 * tick, even if their host reports by then that it is not ready. Without this a host that came back
 * ill in time would keep pods that call themselves ready.
 */
export function podsOwed(
  actions: readonly Action[],
  now: {
    readonly pod: (pod: KnownPod) => KnownPod | undefined
    readonly node: (name: string) => Node | undefined
  },
): readonly KnownPod[] {
  const owed: KnownPod[] = []
  for (const action of actions) {
    if (action.do !== 'markPodsNotReady') continue
    const node = now.node(action.node)
    // A host whose mark was outrun was not silent after all.
    if (!node || (action.onlyIfMarked && readyOf(node)?.status !== 'Unknown')) continue
    for (const change of action.pods) {
      const pod = now.pod(change.pod)
      if (pod?.uid === change.pod.uid && callsItselfReady(pod.object)) owed.push(pod)
    }
  }
  return owed
}

const callsItselfReady = ({ status }: Pod): boolean => {
  const ready = status?.conditions?.find(({ type }) => type === 'Ready')
  return ready !== undefined && ready.status !== 'False'
}

/** Reason and message stay: they are the host's, and it may come back for them. */
function markedNotReady(pod: Pod, nowMs: number): Pod | undefined {
  if (!callsItselfReady(pod)) return undefined
  const conditions = pod.status?.conditions ?? []
  const at = conditions.findIndex((condition) => condition.type === 'Ready')
  const { generation } = pod.metadata
  const observed = generation === undefined ? {} : { observedGeneration: generation }
  const marked = {
    ...conditions[at]!,
    status: 'False',
    lastTransitionTime: formatTime(nowMs),
    ...observed,
  } as const
  return { ...pod, status: { ...pod.status, ...observed, conditions: conditions.with(at, marked) } }
}

/**
 * What happens next to one node if it stays silent and no operator steps in? Answered by the
 * functions the monitor decides with, so that the page shows what the monitor will do. Times are
 * the earliest, unless `tokenAtMs` says when those ahead in the zone's queue have had their tokens.
 */
import type { Taint } from '../../kube/objects.ts'
import { type DecisionDraft, startDecision } from '../decision-draft.ts'
import { deadlineMs, maintenanceUntilMs, readyOf } from '../liveness/health.ts'
import { notReadySinceMs, settledAtMs } from '../liveness/judge-node.ts'
import { openInterval } from '../liveness/visibility.ts'
import type { Settings } from '../settings.ts'
import { firstTaint, judgeTaints } from '../taints/node-taints.ts'
import { taintsOf } from '../taints/taints.ts'
import type { HoldReason, KnownNode, World } from '../world.ts'
import { newFleet, newZone } from '../zones/disruption.ts'
import { pauseMeter, pausesOf, refusedUntilMs, zoneHoldReason } from '../zones/holds.ts'
import { nextGrantMs } from '../zones/limiter.ts'
import { zoneKey } from '../zones/zone-state.ts'
import { readCountdown } from './countdown.ts'
import { judgePod } from './judge-pod.ts'

export interface Prospect {
  /** The taint NoSchedule comes with the mark, in the same write. */
  readonly what: 'markUnknown' | 'taintNoExecute' | 'evictPod'
  /** Absent while it is held back without a known end. */
  readonly atMs?: number
  readonly heldBy?: HoldReason
  /** How much of a countdown that stands still will be left when it goes on. */
  readonly leftMs?: number
  readonly pod?: { readonly namespace: string; readonly name: string }
}

/** `world` needs no more than the node, its lease, its pods, its zone's record and the fleet's. */
export function forecast(
  world: World,
  name: string,
  nowMs: number,
  settings: Settings,
  tokenAtMs = 0,
): readonly Prospect[] {
  const node = world.nodes.get(name)
  if (!node) return []
  const draft = startDecision({ world, fleet: world.fleet?.value ?? newFleet(), nowMs, settings })
  const mark = markOf(draft, node)
  const taint = taintOf(draft, node, mark, tokenAtMs)
  return [...(mark ? [mark] : []), ...(taint ? [taint] : []), ...evictionsOf(draft, node, taint)]
}

function markOf(draft: DecisionDraft, node: KnownNode): Prospect | undefined {
  if (readyOf(node.object)?.status === 'Unknown') return undefined
  const beat = draft.world.beats.get(node.key.name)
  const endMs = deadlineMs(node, beat, draft.window, draft.settings)
  if (!Number.isFinite(endMs)) return { what: 'markUnknown', heldBy: 'blind' }
  if (draft.settings.observe) return { what: 'markUnknown', heldBy: 'observe' }
  return { what: 'markUnknown', atMs: Math.max(draft.nowMs, endMs + 1) }
}

function taintOf(
  draft: DecisionDraft,
  node: KnownNode,
  mark: Prospect | undefined,
  tokenAtMs: number,
): Prospect | undefined {
  const current = readyOf(node.object)?.status === 'False' ? 'False' : 'Unknown'
  // A node with either taint is evicted already; the other one would only replace it.
  if (judgeTaints(current, taintsOf(node.object)) !== 'wait') return undefined
  const zone = zoneKey(node.object)
  const heldBy = heldTaint(draft, node) ?? mark?.heldBy
  if (heldBy) return { what: 'taintNoExecute', heldBy }

  const { limiter } = draft.world.zones.get(zone)?.value ?? newZone(draft.settings, draft.nowMs)
  const readyMs = Math.max(eligibleAtMs(draft, node, mark), maintenanceUntilMs(node.object))
  const atMs = Math.max(tokenAtMs, nextGrantMs(limiter, Math.max(readyMs, draft.nowMs)))
  return Number.isFinite(atMs)
    ? { what: 'taintNoExecute', atMs }
    : { what: 'taintNoExecute', heldBy: 'zoneStopped' }
}

/**
 * A node that calls itself not ready may be tainted now; any other once it was Unknown and settled.
 */
function eligibleAtMs(draft: DecisionDraft, node: KnownNode, mark: Prospect | undefined): number {
  if (readyOf(node.object)?.status === 'False') return draft.nowMs
  const pauses = pausesOf(draft, zoneKey(node.object))
  const beat = draft.world.beats.get(node.key.name)
  const sinceMs = mark?.atMs ?? Math.max(draft.fleet.floorMs, notReadySinceMs(node, beat))
  return settledAtMs(pauses, sinceMs, draft.settings)
}

function heldTaint(draft: DecisionDraft, node: KnownNode): HoldReason | undefined {
  const stop = zoneHoldReason(draft, zoneKey(node.object))
  if (stop) return stop
  if (openInterval(draft.fleet.blind)) return 'blind'
  if (draft.fleet.disruption !== 'none') return 'fleetDisrupted'
  if (draft.nowMs <= refusedUntilMs(draft, node)) return 'refused'
  return draft.settings.observe ? 'observe' : undefined
}

function evictionsOf(
  draft: DecisionDraft,
  node: KnownNode,
  taint: Prospect | undefined,
): Prospect[] {
  const heldBy = taint?.heldBy ?? heldTaint(draft, node)
  const nowMs = taint?.atMs ?? draft.nowMs
  const clocks = {
    pausedMs: pauseMeter(draft, zoneKey(node.object)),
    floorMs: draft.fleet.floorMs,
  }
  const then = { ...clocks, nowMs, taints: taintsThen(node, taint, nowMs) }
  // A countdown that runs already waits for no taint of ours.
  const running = { ...clocks, nowMs: draft.nowMs, taints: taintsOf(node.object) }
  const prospects: Prospect[] = []
  for (const { object, key } of draft.world.podsByNode.get(node.key.name) ?? []) {
    const due = readCountdown(object)
    const common = due ? running : then
    const verdict = judgePod({ ...common, pod: object, due })
    if (verdict.kind !== 'wait' && verdict.kind !== 'evict') continue
    const atMs = verdict.kind === 'wait' ? verdict.dueAtMs : common.nowMs
    const held = heldBy && { heldBy, ...(due && { leftMs: atMs - draft.nowMs }) }
    prospects.push({ what: 'evictPod', pod: key, ...(held ?? { atMs }) })
  }
  return prospects
}

function taintsThen(node: KnownNode, taint: Prospect | undefined, atMs: number): readonly Taint[] {
  const taints = taintsOf(node.object)
  if (!taint) return taints
  const current = readyOf(node.object)?.status === 'False' ? 'False' : 'Unknown'
  return firstTaint(taints, current, atMs)
}

/**
 * What happens next to one node if nobody does anything and it stays silent? Answered by the
 * functions the monitor decides with, so what the page promises is what comes. Times are the
 * earliest: others may be ahead in the zone's queue.
 */
import type { Taint } from '../kube/objects.ts'
import { openInterval } from './blindness.ts'
import { readyOf } from './conditions.ts'
import { newZone } from './disruption.ts'
import { judgePod } from './eviction.ts'
import { readDue } from './eviction-record.ts'
import { deadlineMs, maintenanceUntilMs } from './health.ts'
import { pauseMeter, pausesOf, stopOf } from './holds.ts'
import { nextGrantMs } from './limiter.ts'
import { badSinceMs, settledAtMs } from './node-look.ts'
import { firstTaint, judgeTaints } from './noexecute.ts'
import type { Settings } from './settings.ts'
import { taintsOf } from './taints.ts'
import { newFleet, openTick, type Tick } from './tick.ts'
import type { HoldReason, KnownNode, World } from './world.ts'
import { zoneKey } from './zone-key.ts'

export interface Prospect {
  /** The taint NoSchedule comes with the mark, in the same write. */
  readonly what: 'markUnknown' | 'taintNoExecute' | 'evictPod'
  /** Absent while it is held back for as long as somebody pleases. */
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
): readonly Prospect[] {
  const node = world.nodes.get(name)
  if (!node) return []
  const tick = openTick(world, world.fleet?.value ?? newFleet(), nowMs, settings)
  const mark = markOf(tick, node)
  const taint = taintOf(tick, node, mark)
  return [...(mark ? [mark] : []), ...(taint ? [taint] : []), ...evictionsOf(tick, node, taint)]
}

function markOf(tick: Tick, node: KnownNode): Prospect | undefined {
  if (readyOf(node.object)?.status === 'Unknown') return undefined
  const beat = tick.world.beats.get(node.key.name)
  const endMs = deadlineMs(node, beat, tick.watch, tick.settings)
  if (!Number.isFinite(endMs)) return { what: 'markUnknown', heldBy: 'blind' }
  if (tick.settings.observe) return { what: 'markUnknown', heldBy: 'observe' }
  return { what: 'markUnknown', atMs: Math.max(tick.nowMs, endMs + 1) }
}

function taintOf(tick: Tick, node: KnownNode, mark: Prospect | undefined): Prospect | undefined {
  const current = readyOf(node.object)?.status === 'False' ? 'False' : 'Unknown'
  // Who has either taint is out already; the other one would only replace it.
  if (judgeTaints(current, taintsOf(node.object)) !== 'wait') return undefined
  const zone = zoneKey(node.object)
  const heldBy = heldTaint(tick, zone) ?? mark?.heldBy
  if (heldBy) return { what: 'taintNoExecute', heldBy }

  const { limiter } = tick.world.zones.get(zone)?.value ?? newZone(tick.settings, tick.nowMs)
  const readyMs = Math.max(eligibleAtMs(tick, node, mark), maintenanceUntilMs(node.object))
  const atMs = nextGrantMs(limiter, Math.max(readyMs, tick.nowMs))
  return Number.isFinite(atMs)
    ? { what: 'taintNoExecute', atMs }
    : { what: 'taintNoExecute', heldBy: 'zoneStopped' }
}

/**
 * A node that calls itself not ready may be tainted now; any other once it was Unknown and settled.
 */
function eligibleAtMs(tick: Tick, node: KnownNode, mark: Prospect | undefined): number {
  if (readyOf(node.object)?.status === 'False') return tick.nowMs
  const pauses = pausesOf(tick, zoneKey(node.object))
  const beat = tick.world.beats.get(node.key.name)
  const sinceMs = mark?.atMs ?? Math.max(tick.fleet.floorMs, badSinceMs(node, beat))
  return settledAtMs(pauses, sinceMs, tick.settings)
}

function heldTaint(tick: Tick, zone: string): HoldReason | undefined {
  const stop = stopOf(tick, zone)
  if (stop) return stop
  if (openInterval(tick.fleet.blind)) return 'blind'
  if (tick.fleet.disruption !== 'none') return 'fleetDisrupted'
  return tick.settings.observe ? 'observe' : undefined
}

function evictionsOf(tick: Tick, node: KnownNode, taint: Prospect | undefined): Prospect[] {
  const heldBy = taint?.heldBy ?? heldTaint(tick, zoneKey(node.object))
  const nowMs = taint?.atMs ?? tick.nowMs
  const clocks = {
    pausedMs: pauseMeter(tick, zoneKey(node.object)),
    floorMs: tick.fleet.floorMs,
  }
  const then = { ...clocks, nowMs, taints: taintsThen(node, taint, nowMs) }
  // A countdown that runs already waits for no taint of ours.
  const running = { ...clocks, nowMs: tick.nowMs, taints: taintsOf(node.object) }
  const prospects: Prospect[] = []
  for (const { object, key } of tick.world.podsByNode.get(node.key.name) ?? []) {
    const due = readDue(object)
    const common = due ? running : then
    const verdict = judgePod({ ...common, pod: object, due })
    if (verdict.kind !== 'wait' && verdict.kind !== 'evict') continue
    const atMs = verdict.kind === 'wait' ? verdict.dueAtMs : common.nowMs
    const held = heldBy && { heldBy, ...(due && { leftMs: atMs - tick.nowMs }) }
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

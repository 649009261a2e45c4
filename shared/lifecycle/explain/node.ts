/** Why is a node as it is, and what comes next? From the decision itself. */
import type { NodeCondition } from '../../kube/objects.ts'
import { parseTimeMs } from '../../kube/time.ts'
import { clockText, silenceText, spanText } from '../evidence.ts'
import {
  createdAtMs,
  deadlineMs,
  hasDeparted,
  isOwnBeat,
  lastSignMs,
  maintenanceUntilMs,
  readyOf,
  refusedSinceSignMs,
} from '../liveness/health.ts'
import { notReadySinceMs } from '../liveness/judge-node.ts'
import { openInterval } from '../liveness/visibility.ts'
import { hasLifecycleTaint } from '../taints/node-taints.ts'
import { isLifecycleTaint, taintsOf } from '../taints/taints.ts'
import type { Beat, Hold, KnownNode } from '../world.ts'
import { zoneKey } from '../zones/zone-state.ts'
import type { Explanation, RuleName } from './explanation.ts'
import type { Judged } from './judged.ts'
import { normalAgainText, pauseLines, zoneEvidence, zoneLabel } from './zone.ts'

type Part = Omit<Explanation, 'kind' | 'name' | 'zone'>

/** A beat is late when this many renew intervals have passed since the last one. */
const LATE_AFTER_INTERVALS = 1.5

export function explainNode(judged: Judged, node: KnownNode): Explanation {
  const zone = zoneLabel(zoneKey(node.object))
  return { kind: 'node', name: node.key.name, ...(zone && { zone }), ...partOf(judged, node) }
}

function partOf(judged: Judged, node: KnownNode): Part {
  const beat = judged.world.beats.get(node.key.name)
  const ready = readyOf(node.object)
  if (hasDeparted(node.object, beat) && ready?.status !== 'True') return departed(judged, node)
  if (judged.nowMs < maintenanceUntilMs(node.object)) return maintenance(judged, node, ready)
  if (ready?.status === 'True' || !ready) return alive(judged, node, ready)
  // It said itself that it was not ready, and has gone silent since.
  if (ready.status === 'False' && judged.nowMs > endOf(judged, node)) {
    return alive(judged, node, ready)
  }
  if (hasLifecycleTaint(taintsOf(node.object))) return tainted(judged, node, ready)
  return waiting(judged, node, ready)
}

function departed(judged: Judged, node: KnownNode): Part {
  const because = ['it released its lease and is cordoned', signText(judged, node)]
  const undoneBy = 'its agent starting again'
  const isTainted = hasLifecycleTaint(taintsOf(node.object))
  const next = !isTainted && nextOf(holdOf(judged, node))
  return { what: 'left', rule: 'departed', because, undoneBy, ...next, isCalm: true }
}

function maintenance(judged: Judged, node: KnownNode, ready: NodeCondition | undefined): Part {
  const untilMs = maintenanceUntilMs(node.object)
  return {
    what: `in maintenance, ${ready?.status === 'True' ? 'Ready' : 'not ready'}`,
    rule: 'maintenance',
    because: [`announced until ${clockText(untilMs)}`, signText(judged, node)],
    undoneBy: 'removing the annotation leasehold.dev/maintenance-until',
    next: `judged as usual from ${clockText(untilMs)}`,
    nextAtMs: untilMs,
    isCalm: true,
  }
}

/** Not marked: well, late, never heard of, or past its deadline and not judged. */
function alive(judged: Judged, node: KnownNode, ready: NodeCondition | undefined): Part {
  const { nowMs, settings } = judged
  const beat = judged.world.beats.get(node.key.name)
  const endMs = endOf(judged, node)
  const rule = ready ? 'silence' : 'never-reported'
  const because = [silence(judged, node, nowMs)]
  const blind = openInterval(judged.window.blind)
  if (blind) return notJudged(judged, because, endMs)

  if (nowMs > endMs && settings.observe) {
    const undoneBy = 'any beat; leaving observe mode acts on it'
    return { what: 'would be marked Unknown', rule: 'observe', because, undoneBy, isCalm: false }
  }
  const refusedMs = refusedSinceSignMs(node, beat, judged.window)
  if (refusedMs !== undefined && nowMs <= endMs) return spared(because, refusedMs, endMs)
  const silentMs = nowMs - lastSignMs(node, beat, judged.window.floorMs)
  const isLate = silentMs > LATE_AFTER_INTERVALS * settings.nodeLeaseRenewIntervalMs
  if (ready && !isLate) return { what: 'Ready', rule: 'healthy', because, isCalm: true }
  return {
    what: ready ? 'late' : 'never reported',
    rule,
    because,
    undoneBy: ready ? 'any beat' : 'its first status',
    next: `marked Unknown ${clockText(Math.max(endMs, nowMs))}`,
    nextAtMs: Math.max(endMs, nowMs),
    isCalm: false,
  }
}

const endOf = ({ world, window, settings }: Judged, node: KnownNode): number =>
  deadlineMs(node, world.beats.get(node.key.name), window, settings)

function notJudged({ window, nowMs }: Judged, because: readonly string[], endMs: number): Part {
  const blind = openInterval(window.blind)
  const line = `${blind?.why ?? 'the clock is in doubt'}${blind ? ` since ${clockText(blind.fromMs)}` : ''}`
  const leftMs = endMs - nowMs
  const left =
    Number.isFinite(leftMs) && leftMs > 0 ? `; ${spanText(leftMs)} of grace are left` : ''
  const undoneBy = `the monitor trusting its view again${left}`
  return { what: 'not judged', rule: 'blind', because: [line, ...because], undoneBy, isCalm: false }
}

/** We refused its last beat, so its silence is ours. */
function spared(because: readonly string[], refusedMs: number, endMs: number): Part {
  const line = `its beat of ${clockText(refusedMs)} was refused for reasons of our own`
  return {
    what: 'not judged',
    rule: 'refused',
    because: [line, ...because],
    undoneBy: 'a beat that gets through',
    next: `marked Unknown ${clockText(endMs)}, unless it beats again`,
    nextAtMs: endMs,
    isCalm: false,
  }
}

/** Marked Unknown, or not ready by its own word, without a NoExecute taint. */
function waiting(judged: Judged, node: KnownNode, ready: NodeCondition): Part {
  const held = holdOf(judged, node)
  const rule = ruleOfHold(judged, held, zoneKey(node.object))
  const atMs = sinceMs(judged, node, ready)
  const zoneLines =
    rule === 'token' || rule === 'zone-partial' || rule === 'zone-full'
      ? [zoneEvidence(judged, zoneKey(node.object))]
      : []
  return {
    atMs,
    what: whatWaits(ready, rule),
    rule: rule ?? (ready.status === 'False' ? 'not-ready' : 'silence'),
    because: [
      ...conditionLines(judged, node, ready, atMs),
      ...zoneLines,
      ...holdLines(judged, held),
    ],
    undoneBy: undoneText(judged, node, ready, rule),
    ...nextOf(held),
    isCalm: false,
  }
}

function undoneText(
  { zones, settings }: Judged,
  node: KnownNode,
  ready: NodeCondition,
  rule: RuleName | undefined,
): string {
  const own = ready.status === 'False' ? 'the host reporting that it is ready' : 'any beat'
  const record = zones.get(zoneKey(node.object))?.record
  const isZones = rule === 'zone-partial' || rule === 'zone-full'
  const back = isZones && record && normalAgainText(record, settings)
  return back ? `${own}; in its zone ${back}` : own
}

function whatWaits(ready: NodeCondition, rule: RuleName | undefined): string {
  const state = ready.status === 'False' ? 'not ready' : 'marked Unknown'
  if (rule === undefined) return `${state}; NoExecute now`
  const isQueued = rule === 'token' || rule === 'settle'
  return `${state}; NoExecute ${isQueued ? 'waits' : 'withheld'}`
}

function nextOf(held: Hold | undefined): Pick<Part, 'next' | 'nextAtMs'> {
  if (held?.untilMs === undefined) return { next: held ? 'nothing; pods stay' : 'NoExecute' }
  const ahead = held.ahead ? `, ${held.ahead} ahead` : ''
  return { next: `NoExecute ${clockText(held.untilMs)}${ahead}`, nextAtMs: held.untilMs }
}

function conditionLines(
  judged: Judged,
  node: KnownNode,
  ready: NodeCondition,
  atMs: number,
): readonly string[] {
  if (ready.status === 'False') {
    return [`the host reports ${ready.reason ?? 'NotReady'}: ${ready.message ?? 'no message'}`]
  }
  return [silence(judged, node, atMs)]
}

function holdLines(judged: Judged, held: Hold | undefined): readonly string[] {
  const { settings, fleet, zones } = judged
  if (held?.why === 'settling') {
    const settle = spanText(settings.nodeEvictionSettleMs)
    return [`settles for ${settle}, blind and paused time not counted`]
  }
  const record = held && zones.get(held.zone)?.record
  if (held?.why === 'fleetPaused' || held?.why === 'zonePaused') {
    return record ? pauseLines(judged, record) : []
  }
  if (fleet.disruption === 'none' || fleet.disruptionSinceMs === undefined) return []
  return [`every zone that counts is wholly down since ${clockText(fleet.disruptionSinceMs)}`]
}

/** Of this node, or of its whole zone. */
function holdOf({ decision, settings }: Judged, node: KnownNode): Hold | undefined {
  const zone = zoneKey(node.object)
  const taints = decision.holds.filter((hold) => hold.what === 'taint' && hold.zone === zone)
  const found = taints.find((hold) => hold.node === node.key.name) ?? taints.find((h) => !h.node)
  if (found || !settings.observe) return found
  return { what: 'taint', why: 'observe', zone }
}

function ruleOfHold(judged: Judged, held: Hold | undefined, zone: string): RuleName | undefined {
  switch (held?.why) {
    case undefined:
      return undefined
    case 'settling':
      return 'settle'
    case 'fleetPaused':
    case 'zonePaused':
      return 'paused'
    case 'fleetDisrupted':
      return 'fleet-disruption'
    case 'waitingForToken':
    case 'zoneStopped':
      return judged.fleet.disruption === 'none' ? zoneRule(judged, zone) : 'fleet-disruption'
    default:
      return held!.why as RuleName
  }
}

function zoneRule({ zones }: Judged, key: string): RuleName {
  const state = zones.get(key)?.record.state
  if (state === 'PartialDisruption') return 'zone-partial'
  return state === 'FullDisruption' ? 'zone-full' : 'token'
}

function tainted(judged: Judged, node: KnownNode, ready: NodeCondition): Part {
  const taint = taintsOf(node.object).find(isLifecycleTaint)
  const pods = judged.world.podsByNode.get(node.key.name) ?? []
  const atMs = parseTimeMs(taint?.timeAdded ?? '')
  const soonest = judged.prospectsOf(node.key.name).find(({ what }) => what === 'evictPod')
  const held = soonest?.heldBy
  const next =
    soonest?.atMs === undefined
      ? undefined
      : `${soonest.pod?.name} leaves ${clockText(soonest.atMs)}; ${pods.length} pods are here`
  return {
    ...(atMs !== undefined && { atMs }),
    what: held ? 'NoExecute; evictions withheld' : 'NoExecute: its pods leave',
    rule: held
      ? (ruleOfHold(judged, { what: 'evict', why: held, zone: '' }, '') ?? 'toleration')
      : 'toleration',
    because: conditionLines(judged, node, ready, sinceMs(judged, node, ready)),
    undoneBy: ready.status === 'False' ? 'the host reporting that it is ready' : 'any beat',
    next: next ?? (pods.length === 0 ? 'nothing; it has no pods' : 'nothing; its pods stay'),
    ...(soonest?.atMs !== undefined && { nextAtMs: soonest.atMs }),
    isCalm: false,
  }
}

function sinceMs({ world }: Judged, node: KnownNode, ready: NodeCondition): number {
  const stored = parseTimeMs(ready.lastTransitionTime ?? '') ?? 0
  return notReadySinceMs(node, world.beats.get(node.key.name)) || stored
}

// ---- evidence -----------------------------------------------------------------------------------

/** `last sign 17:48:04.912 (lease beat); silent 50.068 s, grace 50 s, blind 0 s` */
function silence(judged: Judged, node: KnownNode, untilMs: number): string {
  const { window, settings, world } = judged
  const beat = world.beats.get(node.key.name)
  return `${signText(judged, node)}; ${silenceText({ node, beat, window, settings }, untilMs)}`
}

function signText({ window, world }: Judged, node: KnownNode): string {
  const beat = world.beats.get(node.key.name)
  const signMs = lastSignMs(node, beat, window.floorMs)
  return `last sign ${clockText(signMs)} (${signKind(node, beat, signMs)}, the server's clock)`
}

function signKind(node: KnownNode, beat: Beat | undefined, signMs: number): string {
  if (isOwnBeat(node, beat) && beat.receivedAtMs === signMs) return 'lease beat'
  if (node.receivedAtMs === signMs) return 'status'
  return createdAtMs(node.object) === signMs ? 'creation' : 'end of the fleet disruption'
}

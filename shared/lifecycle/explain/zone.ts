/** Why is a zone, or the fleet, evicted at the rate it is? */
import { clockText, shareText, spanText, zoneText } from '../evidence.ts'
import { openInterval } from '../liveness/visibility.ts'
import type { Settings } from '../settings.ts'
import type { ZoneRecord } from '../world.ts'
import { tokensAt } from '../zones/limiter.ts'
import { evictionRate, zoneStateOf } from '../zones/zone-state.ts'
import { type Explanation, type RuleName, rateText } from './explanation.ts'
import type { Judged } from './judged.ts'

/** `region.zone`, as kubectl shows it; empty for nodes that say neither. */
export const zoneLabel = (key: string): string =>
  key.replace(':\u0000:', '.').replace(/^\.|\.$/g, '')

/** `zone Normal, 7 of 334 (2.1 %) not ready; 0.1/s, bucket 0.40, 3 wait` */
export function zoneEvidence({ zones, nowMs, settings }: Judged, key: string): string {
  const zone = zones.get(key)
  if (!zone) return 'the zone has no record yet'
  const { limiter } = zone.record
  const bucket = limiter.stopped
    ? 'rate 0'
    : `${rateText(limiter.rate)}, bucket ${tokensAt(limiter, nowMs).toFixed(2)}`
  return `${zoneText(zone.record, settings)}; ${bucket}, ${zone.waiting.length} wait`
}

export function explainZone(judged: Judged, key: string): Explanation | undefined {
  const zone = judged.zones.get(key)
  if (!zone) return undefined
  const { record, waiting } = zone
  const rule = ruleOf(judged, record)
  const holds = judged.decision.holds.filter(({ what, zone: of }) => what === 'taint' && of === key)
  const first = holds.find(({ node }) => node === waiting[0])
  // Held by nothing, neither by itself nor with its zone: it is tainted now.
  const isNow = !first && !holds.some(({ node }) => node === undefined)
  const nextAtMs = isNow ? judged.nowMs : first?.untilMs
  const back = normalAgainText(record, judged.settings)
  return {
    kind: 'zone',
    name: zoneLabel(key) || '(no zone)',
    atMs: record.sinceMs,
    what: record.state,
    rule,
    because: [zoneEvidence(judged, key), ...pauseLines(judged, record)],
    ...(back && { undoneBy: back }),
    ...(waiting.length > 0 && { next: nextText(waiting[0]!, nextAtMs, waiting.length) }),
    ...(waiting.length > 0 && nextAtMs !== undefined && { nextAtMs }),
    isCalm: rule === 'healthy' && waiting.length === 0,
  }
}

function nextText(name: string, atMs: number | undefined, count: number): string {
  if (atMs === undefined) return `nothing; ${count} wait and their pods stay`
  const others = count > 1 ? `, then ${count - 1} more` : ''
  return `NoExecute for ${name} ${clockText(atMs)}${others}`
}

function ruleOf({ fleet }: Judged, record: ZoneRecord): RuleName {
  if (openInterval(fleet.blind)) return 'blind'
  if (openInterval(fleet.stops) || openInterval(record.stops)) return 'paused'
  if (fleet.disruption !== 'none') return 'fleet-disruption'
  if (record.state === 'PartialDisruption') return 'zone-partial'
  return record.state === 'FullDisruption' ? 'zone-full' : 'healthy'
}

export function pauseLines({ fleet }: Judged, record: ZoneRecord): readonly string[] {
  const stop = openInterval(record.stops) ?? openInterval(fleet.stops)
  return stop ? [`paused since ${clockText(stop.fromMs)}: ${stop.why}`] : []
}

/** How many must come back for the zone to be Normal, and at which rate it is evicted then. */
export function normalAgainText(record: ZoneRecord, settings: Settings): string | undefined {
  const { state, size, notReady } = record
  if (state !== 'PartialDisruption' && state !== 'FullDisruption') return undefined
  for (let back = 1; back <= notReady; back++) {
    const left = notReady - back
    if (zoneStateOf({ size, notReady: left }, settings.unhealthyZoneThreshold) !== 'Normal')
      continue
    const rate = rateText(evictionRate('Normal', size, settings))
    return `${back} coming back (${shareText(left, size)} not ready): ${rate}`
  }
  return undefined
}

export function explainFleet(judged: Judged): Explanation {
  const { decision, settings } = judged
  const { nodes, ready, notReady, unknown, missing } = decision.counts
  const counts = `${nodes} nodes: ${ready} ready, ${notReady} not ready, ${unknown + missing} unknown`
  const found = fleetState(judged)
  const zones = [...judged.zones.values()].filter(({ record }) => record.state !== 'Normal')
  const down = zones.map(({ key, record }) => `${zoneLabel(key) || '(no zone)'} ${record.state}`)
  return {
    kind: 'fleet',
    name: 'fleet',
    ...found,
    because: [counts, ...(down.length > 0 ? [down.join(', ')] : []), ...found.because],
    isCalm: found.rule === 'healthy' && ready === nodes && !settings.observe,
  }
}

type FleetState = Pick<Explanation, 'what' | 'rule' | 'because' | 'undoneBy' | 'atMs'>

function fleetState({ fleet, nowMs, settings, world }: Judged): FleetState {
  const blind = openInterval(fleet.blind)
  if (blind || world.visibility.kind !== 'clear') {
    const sinceMs = blind?.fromMs ?? nowMs
    const why = blind?.why ?? (world.visibility.kind === 'clear' ? '' : world.visibility.why)
    const because = [`${why}, for ${spanText(nowMs - sinceMs)}`]
    const undoneBy = 'the canary answering, and no refusal by the api within a grace'
    return { what: 'not judged', rule: 'blind', because, undoneBy, atMs: sinceMs }
  }
  const stop = openInterval(fleet.stops)
  if (stop) {
    const because = [`an operator: ${stop.why}`]
    const undoneBy = 'removing the annotation leasehold.dev/evictions-paused of the fleet'
    return { what: 'evictions paused', rule: 'paused', because, undoneBy, atMs: stop.fromMs }
  }
  if (fleet.disruption !== 'none') {
    const because = ['every zone that counts is wholly down']
    const undoneBy = 'one host beating; then every clock starts afresh'
    const at = fleet.disruptionSinceMs !== undefined && { atMs: fleet.disruptionSinceMs }
    return { what: 'evictions withheld', rule: 'fleet-disruption', because, undoneBy, ...at }
  }
  if (settings.observe) return { what: 'observed only', rule: 'observe', because: [] }
  return { what: 'judged as usual', rule: 'healthy', because: [] }
}

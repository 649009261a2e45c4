/** Is anything wrong in the fleet, where, and since when? A headline and a remark. */
import type { ReportedFleet } from './fleet-objects.ts'
import { amount, clockAndAge, grouped, span } from './format.ts'
import { badOf, isBad, sumCounts, totalNodes, unmarkedOf, type ZoneView } from './zone-view.ts'

export interface FleetSummaryText {
  readonly tone: 'calm' | 'alarm' | 'empty'
  readonly headline: string
  /** Worst first, the worst few of them. */
  readonly zones: readonly AffectedZone[]
  /** How many more there are. */
  readonly otherZones: number
  readonly remark: string
}

interface AffectedZone {
  readonly name: string
  readonly title: string
  readonly bad: number
  readonly total: number
}

const MOST_ZONES_NAMED = 3
const nowhere = { zones: [], otherZones: 0 }

export function summarizeFleet(
  views: readonly ZoneView[],
  fleet: ReportedFleet | undefined,
  nowMs: number,
): FleetSummaryText {
  const counts = sumCounts(views)
  const unmarked = views.reduce((sum, view) => sum + unmarkedOf(view, fleet), 0)
  const [total, bad] = [totalNodes(counts), badOf(counts) + unmarked]
  if (total === 0) {
    const remark = 'Start an agent on a host to see it here.'
    return { ...nowhere, tone: 'empty', headline: 'No node has registered yet.', remark }
  }
  if (bad === 0) return calm(total, counts.cordoned)
  const headline =
    bad === total
      ? `None of ${amount(total, 'node')} is ready.`
      : `${grouped(bad)} of ${amount(total, 'node')} ${bad === 1 ? 'is' : 'are'} not ready.`
  const remark = [sinceOf(views, nowMs), unmarkedText(unmarked)].filter(Boolean).join(' ')
  return { tone: 'alarm', headline, ...whereOf(views, fleet), remark }
}

function calm(total: number, cordoned: number): FleetSummaryText {
  const headline =
    total === 1 ? 'The one node is ready.' : `All ${amount(total, 'node')} are ready.`
  const remark = cordoned > 0 ? `${amount(cordoned, 'node')} cordoned.` : ''
  return { ...nowhere, tone: 'calm', headline, remark }
}

const unmarkedText = (unmarked: number): string =>
  unmarked === 0 ? '' : `Observe mode leaves ${amount(unmarked, 'of them', 'of them')} unmarked.`

function whereOf(
  views: readonly ZoneView[],
  fleet: ReportedFleet | undefined,
): Pick<FleetSummaryText, 'zones' | 'otherZones'> {
  const affected = views
    .map((view) => ({
      name: view.name,
      title: view.title,
      bad: badOf(view.counts) + unmarkedOf(view, fleet),
      total: view.nodes.length,
    }))
    .filter(({ bad }) => bad > 0)
    .sort((a, b) => b.bad - a.bad)
  const zones = affected.slice(0, MOST_ZONES_NAMED)
  return { zones, otherZones: affected.length - zones.length }
}

/** The first and the latest: a host that died last week must not hide one that died just now. */
function sinceOf(views: readonly ZoneView[], nowMs: number): string {
  let [firstMs, lastMs] = [Number.POSITIVE_INFINITY, 0]
  for (const { nodes } of views)
    for (const { state, sinceSeconds } of nodes) {
      if (!isBad(state) || sinceSeconds === 0) continue
      firstMs = Math.min(firstMs, sinceSeconds * 1000)
      lastMs = Math.max(lastMs, sinceSeconds * 1000)
    }
  if (lastMs === 0) return ''
  if (lastMs - firstMs < 60_000) return `Since ${clockAndAge(firstMs, nowMs)}.`
  return `The latest since ${clockAndAge(lastMs, nowMs)}, the first for ${span(nowMs - firstMs)}.`
}

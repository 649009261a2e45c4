/**
 * Is anything wrong, where, and since when? One sentence, and one or two more for whoever reads
 * on.
 */
import type { Fleet } from './fleet-objects.ts'
import { badOf, isBad, sumCounts, totalOf, unmarkedOf, type ZoneView } from './fleet-view.ts'
import { ago, amount, clock, grouped, span } from './words.ts'

export interface Verdict {
  readonly tone: 'calm' | 'alarm' | 'empty'
  readonly headline: string
  /** Worst first, the worst few of them. */
  readonly zones: readonly HurtZone[]
  /** How many more there are. */
  readonly otherZones: number
  readonly remark: string
}

export interface HurtZone {
  readonly name: string
  readonly title: string
  readonly bad: number
  readonly total: number
}

const MOST_ZONES_NAMED = 3
const nowhere = { zones: [], otherZones: 0 }

export function verdictOf(
  views: readonly ZoneView[],
  fleet: Fleet | undefined,
  nowMs: number,
): Verdict {
  const counts = sumCounts(views)
  const unmarked = views.reduce((sum, view) => sum + unmarkedOf(view, fleet), 0)
  const [total, bad] = [totalOf(counts), badOf(counts) + unmarked]
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

function calm(total: number, cordoned: number): Verdict {
  const headline =
    total === 1 ? 'The one node is ready.' : `All ${amount(total, 'node')} are ready.`
  const remark = cordoned > 0 ? `${amount(cordoned, 'node')} cordoned.` : ''
  return { ...nowhere, tone: 'calm', headline, remark }
}

const unmarkedText = (unmarked: number): string =>
  unmarked === 0 ? '' : `Observe mode leaves ${amount(unmarked, 'of them', 'of them')} unmarked.`

function whereOf(
  views: readonly ZoneView[],
  fleet: Fleet | undefined,
): Pick<Verdict, 'zones' | 'otherZones'> {
  const hurt = views
    .map((view) => ({
      name: view.name,
      title: view.title,
      bad: badOf(view.counts) + unmarkedOf(view, fleet),
      total: view.cells.length,
    }))
    .filter(({ bad }) => bad > 0)
    .sort((a, b) => b.bad - a.bad)
  const zones = hurt.slice(0, MOST_ZONES_NAMED)
  return { zones, otherZones: hurt.length - zones.length }
}

/** A host that died last week says nothing about tonight: both ends of the story are told. */
function sinceOf(views: readonly ZoneView[], nowMs: number): string {
  let [firstMs, lastMs] = [Number.POSITIVE_INFINITY, 0]
  for (const { cells } of views)
    for (const { state, sinceSeconds } of cells) {
      if (!isBad(state) || sinceSeconds === 0) continue
      firstMs = Math.min(firstMs, sinceSeconds * 1000)
      lastMs = Math.max(lastMs, sinceSeconds * 1000)
    }
  if (lastMs === 0) return ''
  const latest = `${clock(lastMs, nowMs)} (${ago(lastMs, nowMs)})`
  if (lastMs - firstMs < 60_000) return `Since ${clock(firstMs, nowMs)} (${ago(firstMs, nowMs)}).`
  return `The latest since ${latest}, the first for ${span(nowMs - firstMs)}.`
}

/** Is anything wrong, where, and since when? One sentence, and one or two more for whoever reads on. */
import { badOf, isBad, sumCounts, totalOf, type ZoneView } from './fleet-view.ts'
import { ago, amount, clock, grouped, span } from './words.ts'

export interface Verdict {
  readonly tone: 'calm' | 'alarm' | 'empty'
  readonly headline: string
  readonly where: string
  readonly since: string
}

const MOST_ZONES_NAMED = 3

export function verdictOf(views: readonly ZoneView[], nowMs: number): Verdict {
  const counts = sumCounts(views)
  const [total, bad] = [totalOf(counts), badOf(counts)]
  if (total === 0) {
    const headline = 'No node has registered yet.'
    return { tone: 'empty', headline, where: 'Start an agent on a host to see it here.', since: '' }
  }
  if (bad === 0) return calm(total, counts.cordoned)
  const headline =
    bad === total
      ? `None of ${amount(total, 'node')} is ready.`
      : `${grouped(bad)} of ${amount(total, 'node')} ${bad === 1 ? 'is' : 'are'} not ready.`
  return { tone: 'alarm', headline, where: whereOf(views), since: sinceOf(views, nowMs) }
}

function calm(total: number, cordoned: number): Verdict {
  const headline =
    total === 1 ? 'The one node is ready.' : `All ${amount(total, 'node')} are ready.`
  const where = cordoned > 0 ? `${amount(cordoned, 'node')} cordoned.` : ''
  return { tone: 'calm', headline, where, since: '' }
}

/** Zones by how many are down in them, worst first. */
function whereOf(views: readonly ZoneView[]): string {
  const hurt = views
    .map((view) => ({ ...view, bad: badOf(view.counts) }))
    .filter(({ bad }) => bad > 0)
    .sort((a, b) => b.bad - a.bad)
  const named = hurt
    .slice(0, MOST_ZONES_NAMED)
    .map(({ title, bad, cells }) => `${title} (${grouped(bad)} of ${grouped(cells.length)})`)
  const more = hurt.length - named.length
  return `In ${named.join(', ')}${more > 0 ? ` and ${amount(more, 'other zone')}` : ''}.`
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

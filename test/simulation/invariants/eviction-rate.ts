/** 3. No zone is tainted NoExecute faster than its limiter allows, whatever crashes or overlaps. */
import type { Limiter } from '../../../shared/lifecycle/zones/limiter.ts'
import type { ObjectChange, Write } from '../observed-store.ts'
import { stampSkewMs, TRUSTED_SKEW_MS } from '../process.ts'
import { type Truth, zoneOf } from '../truth.ts'
import { Broken, type Invariant } from './invariant.ts'
import { isFirstTaint, type NodeAction, nodeActions } from './observed-actions.ts'

/** The fractions of a token that sums of fractions are off by. */
const CRUMB = 1e-5

export function evictionRateIsKept(): Invariant {
  /** Zone -> when those were decided whom it has tainted, by the clocks that decided. */
  const decidedMs = new Map<string, number[]>()
  return {
    onWrite(truth, write) {
      const taints = nodeActions(write).filter(isFirstTaint)
      const zones = write.changes.filter(
        (change): change is ObjectChange => change.what === 'object' && change.resource === 'zones',
      )
      const nowMs = write.atMs + stampSkewMs(write.by)
      for (const zone of zones) {
        if (zone.after) checkBucket(zone, taints)
        else checkForgotten(zone, nowMs)
      }
      for (const taint of taints) checkWindow(truth, write, taint, decidedMs)
      if (taints.length > 0 && zones.length === 0)
        throw new Broken('3 pace', `${taints[0]!.name} is tainted and no bucket pays for it`)
    },
  }
}

const limiterOf = (object: ObjectChange['after']): Limiter | undefined =>
  (object?.object as { status?: { record?: { limiter?: Limiter } } })?.status?.record?.limiter

/**
 * Nothing is minted: what a bucket holds is what it held, what time brought, less what was spent.
 */
function checkBucket({ id, before, after }: ObjectChange, taints: readonly NodeAction[]): void {
  const old = limiterOf(before)
  const now = limiterOf(after)
  const spent = taints.filter(({ after: node }) => `/${zoneOf(node)}` === id).length
  if (!now) return
  const hadTokens = old ? levelAt(old, now.refilledAtMs) : 1
  if (old && now.refilledAtMs < old.refilledAtMs)
    throw new Broken('3 pace', `the bucket of ${id} turns back time`)
  if (now.tokens + spent <= hadTokens + CRUMB || now.stopped) return
  const why = `${id} had ${hadTokens} tokens, gave ${spent} and has ${now.tokens}`
  throw new Broken('3 pace', why)
}

/** The next of this name would begin full, so this one may go only when it was. */
function checkForgotten({ id, before }: ObjectChange, nowMs: number): void {
  const last = limiterOf(before)
  if (!last || levelAt(last, nowMs) >= 1 - CRUMB) return
  throw new Broken('3 pace', `${id} is forgotten before its bucket is full`)
}

const levelAt = ({ stopped, tokens, rate, refilledAtMs }: Limiter, atMs: number) =>
  stopped ? 0 : Math.min(1, tokens + (rate * Math.max(0, atMs - refilledAtMs)) / 1_000)

/** The same over any window, from the taints alone. */
function checkWindow(
  { settings }: Truth,
  { by }: Write,
  { name, after }: NodeAction,
  decidedMs: Map<string, number[]>,
): void {
  const zone = zoneOf(after)
  const all = decidedMs.get(zone) ?? []
  decidedMs.set(zone, all)
  const atMs = by.lookedAtMs + stampSkewMs(by)
  all.push(atMs)
  const rate = Math.max(settings.nodeEvictionRate, settings.secondaryNodeEvictionRate)
  // Tokens of two periods may be spent at once, and two clocks may disagree.
  const slackMs = 2 * settings.nodeMonitorPeriodMs + 2 * TRUSTED_SKEW_MS
  for (let from = Math.max(0, all.length - 50); from < all.length; from += 1) {
    const windowMs = Math.abs(atMs - all[from]!) + slackMs
    const count = all.length - from
    if (count <= 1 + (rate * windowMs) / 1_000 + CRUMB) continue
    throw new Broken('3 pace', `${name} is the ${count}th of ${zone} in ${windowMs} ms`)
  }
}

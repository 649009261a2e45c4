/**
 * 8. While the observer is blind or stopped, no node is marked or tainted and no pod evicted; healing still
 * works.
 */
import type { Node } from '../../../shared/kube/objects.ts'
import type { Write } from '../observed-store.ts'
import { type Process, stampSkewMs, TRUSTED_SKEW_MS } from '../process.ts'
import { lifecycleTaints, maintenanceUntilMs, readyOf, type Truth, zoneOf } from '../truth.ts'
import type { Availability } from './detection.ts'
import { Broken, type Invariant } from './invariant.ts'
import { evictions, isMark, isTaint, nodeActions } from './observed-actions.ts'

export const holdsHold: Invariant = {
  onWrite(truth, write) {
    const actions = nodeActions(write)
    const tainted = actions.filter(isTaint)
    const gone = evictions(write)
    const marked = actions.filter(isMark)
    if (marked.length + tainted.length + gone.length === 0) return
    const who = marked[0]?.name ?? tainted[0]?.name ?? gone[0]!.after.metadata.name!
    checkSight(truth, write, who)
    for (const { name, after } of tainted) checkStops(truth, write, name, after)
    for (const { after } of gone) {
      const node = truth.nodes.get(after.spec?.nodeName ?? '')
      checkStops(truth, write, after.metadata.name!, node?.object)
    }
  },
}

function checkSight(truth: Truth, { by, atMs }: Write, who: string): void {
  if (truth.settings.observe) throw new Broken('8 holds', `${who} is touched by an observer`)
  if (Math.abs(by.skewMs) > TRUSTED_SKEW_MS)
    throw new Broken('8 holds', `${who} is touched by a clock ${by.skewMs} ms off`)
  if (!by.isCanaryWell) throw new Broken('8 holds', `${who} is touched while the canary fails`)
  if (isDistressed(truth, by))
    throw new Broken('8 holds', `${who} is touched in distress at ${atMs}`)
}

/**
 * Was there distress, younger than the grace, when this process began to read? Then it has read it.
 */
function isDistressed({ distress, settings }: Truth, by: Process): boolean {
  const known = distress.findLast(({ atMs }) => atMs < by.lookedAtMs)
  if (!known) return false
  const nowMs = by.lookedAtMs + stampSkewMs(by)
  // What follows between ticks is judged up to a period later.
  return nowMs + settings.nodeMonitorPeriodMs <= known.lastAtMs + settings.nodeMonitorGracePeriodMs
}

function checkStops(truth: Truth, { by }: Write, who: string, node: Node | undefined): void {
  const { fleet, zonePauses } = truth
  const before = (sinceMs: number | undefined) => sinceMs !== undefined && sinceMs < by.lookedAtMs
  if (before(fleet.pausedSinceMs)) throw new Broken('8 holds', `${who} goes while all are paused`)
  if (!node) return
  if (before(zonePauses.get(zoneOf(node))))
    throw new Broken('8 holds', `${who} goes while its zone is paused`)
  // Judged by a clock a little ahead, the maintenance may be over.
  const endMs = maintenanceUntilMs(node)
  if (endMs > by.lookedAtMs + stampSkewMs(by) + truth.settings.nodeMonitorPeriodMs)
    throw new Broken('8 holds', `${who} goes in maintenance`)
}

/** A few ticks, and the ways between. */
const HEALING_MS = 20_000

/** Blind or paused, a node that is Ready loses the taints of the monitor. */
export const healingWorks = ({ availableMs }: Availability): Invariant => ({
  onCheck(truth, nowMs) {
    if (truth.settings.observe) return
    for (const { object, readySinceMs, name } of truth.nodes.values()) {
      if (nowMs - readySinceMs < HEALING_MS || readyOf(object)?.status !== 'True') continue
      if (!isMarred(object) || availableMs(readySinceMs) < HEALING_MS) continue
      throw new Broken('8 holds', `${name} is Ready and does not heal`)
    }
  },
})

const isMarred = (node: Node) =>
  lifecycleTaints(node).length > 0 ||
  (node.spec?.taints ?? []).some(({ key }) => key === 'node.kubernetes.io/unreachable')

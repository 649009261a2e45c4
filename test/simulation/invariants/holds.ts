/**
 * 8. While the observer is blind or stopped, no node is marked or tainted and no pod evicted; healing still
 * works.
 */
import type { Node } from '../../../shared/kube/objects.ts'
import type { Write } from '../observed-store.ts'
import { type Process, stampSkewMs, TRUSTED_SKEW_MS } from '../process.ts'
import {
  graceMs,
  lifecycleTaints,
  maintenanceUntilMs,
  readyOf,
  type TrueNode,
  type Truth,
  zoneOf,
} from '../truth.ts'
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
    for (const { name } of marked) checkRefused(truth, write, truth.nodes.get(name))
    for (const { name, after } of tainted) {
      checkStops(truth, write, name, after)
      if (isUnknown(truth.nodes.get(name))) checkRefused(truth, write, truth.nodes.get(name))
    }
    for (const { after } of gone) {
      const node = truth.nodes.get(after.spec?.nodeName ?? '')
      checkStops(truth, write, after.metadata.name!, node?.object)
      if (isUnknown(node)) checkRefused(truth, write, node)
    }
  },
}

function checkSight(truth: Truth, { by, atMs }: Write, who: string): void {
  if (truth.settings.observe) throw new Broken('8 holds', `${who} is touched by an observer`)
  if (Math.abs(by.skewMs) > TRUSTED_SKEW_MS)
    throw new Broken('8 holds', `${who} is touched by a clock ${by.skewMs} ms off`)
  if (!by.isCanaryWell) throw new Broken('8 holds', `${who} is touched while the canary fails`)
  if (areManyRefused(truth, by))
    throw new Broken('8 holds', `${who} is touched at ${atMs} while many beats are refused`)
}

/** As this process has read it: what was told before it began to read. */
function refusedAtMs({ refusals }: Truth, { name, uid }: TrueNode, by: Process): number {
  const told = (refusals.get(name) ?? []).filter(({ toldAtMs }) => toldAtMs < by.lookedAtMs)
  const own = told.filter((refused) => refused.uid === undefined || refused.uid === uid)
  return Math.max(0, ...own.map(({ atMs }) => atMs))
}

/** Younger than a grace when it was judged. What follows between ticks is judged up to a period later. */
function isYoung({ settings }: Truth, atMs: number, graceMs: number, by: Process): boolean {
  const nowMs = by.lookedAtMs + stampSkewMs(by) + settings.nodeMonitorPeriodMs
  return nowMs <= atMs + graceMs
}

/** At least three nodes and one in twenty of all there are, of which some may not beat. */
function areManyRefused(truth: Truth, by: Process): boolean {
  const { nodes, settings } = truth
  const grace = settings.nodeMonitorGracePeriodMs
  const refused = [...nodes.values()].filter((node) =>
    isYoung(truth, refusedAtMs(truth, node, by), grace, by),
  )
  return refused.length >= Math.max(3, nodes.size / 20 + 1)
}

/** What a host says of itself, and a user's own taint, need no beat: they act on any node. */
const isUnknown = (node: TrueNode | undefined) =>
  node !== undefined && readyOf(node.object)?.status === 'Unknown'

/** However few share its fate: a host whose beats we turned away is let be, unless one got through. */
function checkRefused(truth: Truth, { by }: Write, node: TrueNode | undefined): void {
  if (!node) return
  const atMs = refusedAtMs(truth, node, by)
  if (atMs <= node.sign.atMs + node.sign.skewMs) return
  if (isYoung(truth, atMs, graceMs(truth, node.object), by))
    throw new Broken('8 holds', `${node.name} is touched after its beat was refused at ${atMs}`)
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

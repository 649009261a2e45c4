/**
 * 4. With every zone fully disrupted no pod is evicted by lifecycle taints; leaving that state
 * starts every clock afresh. And no countdown is cut short.
 */
import type { Node, Pod, Taint, Toleration } from '../../../shared/kube/objects.ts'
import type { Write } from '../observed-store.ts'
import { type Process, stampSkewMs, TRUSTED_SKEW_MS } from '../process.ts'
import {
  executing,
  graceMs,
  isLifecycle,
  lastRefusedMs,
  lifecycleTaints,
  maintenanceUntilMs,
  readyOf,
  type TrueNode,
  type Truth,
} from '../truth.ts'
import type { Availability } from './detection.ts'
import { Broken, type Invariant } from './invariant.ts'
import {
  evictions,
  isFirstTaint,
  isTaint,
  nodeActions,
  type PodAction,
} from './observed-actions.ts'

/** Two clocks that may each be off. */
const CLOCKS_MS = 2 * TRUSTED_SKEW_MS

export const disruptionEvictsNone = ({ availableMs }: Availability): Invariant => ({
  onWrite(truth, write) {
    const gone = evictions(write)
    const tainted = nodeActions(write).filter(isTaint)
    if (gone.length + tainted.length === 0) return
    const downSinceMs = allDownSinceMs(truth, write, availableMs)
    const isDown = downSinceMs !== undefined && downSinceMs + CLOCKS_MS < write.by.lookedAtMs
    for (const deed of tainted) {
      if (isDown) throw new Broken('4 disruption', `${deed.name} is tainted while all are down`)
      if (isFirstTaint(deed)) checkSettled(truth, write, deed.name)
    }
    for (const deed of gone) checkEviction(truth, write, deed, isDown)
  },
})

/** Since when every counted node has been down, as far as the store or its silence tells. */
function allDownSinceMs(
  truth: Truth,
  { atMs }: Write,
  availableMs: Availability['availableMs'],
): number | undefined {
  let sinceMs = 0
  let counted = 0
  for (const node of truth.nodes.values()) {
    const isReady = readyOf(node.object)?.status === 'True'
    // Silence counts while it can be seen, and afresh after a disruption or a beat that was refused.
    const signMs = Math.max(node.sign.atMs, lastRefusedMs(truth, node.name))
    const seenMs = availableMs(Math.max(signMs, truth.fleet.floorMs))
    const downMs = isReady ? atMs - seenMs + graceMs(truth, node.object) : node.readySinceMs
    if (downMs > atMs) return undefined
    sinceMs = Math.max(sinceMs, downMs)
    if (!isAway(node.object, atMs)) counted += 1
  }
  return counted === 0 ? undefined : sinceMs
}

const EXCLUDED = 'node.kubernetes.io/exclude-disruption'

/** Who might be away on purpose is left out: then this rule says less, never too much. */
const isAway = (node: Node, atMs: number) =>
  node.spec?.unschedulable === true ||
  maintenanceUntilMs(node) > atMs - CLOCKS_MS ||
  node.metadata.labels?.[EXCLUDED] !== undefined

function checkSettled(truth: Truth, { atMs, by }: Write, name: string): void {
  const node = truth.nodes.get(name)!
  const settleMs = truth.settings.nodeEvictionSettleMs
  if (settleMs === 0 || readyOf(node.object)?.status !== 'Unknown') return
  const sinceMs = Math.max(truth.fleet.floorMs, declaredMs(node))
  if (atMs + stampSkewMs(by) >= sinceMs + settleMs) return
  throw new Broken('4 disruption', `${name} is tainted before it settled`)
}

const declaredMs = ({ object }: TrueNode) => Date.parse(readyOf(object)?.lastTransitionTime ?? '')

function checkEviction(truth: Truth, write: Write, { after, before }: PodAction, isDown: boolean) {
  const node = truth.nodes.get(after.spec?.nodeName ?? '')
  const name = `${after.metadata.namespace}/${after.metadata.name}`
  // A countdown outlives its node; whose taint it was is then no longer to be seen.
  if (!node) return
  const taints = executing(node.object)
  if (taints.length === 0) throw new Broken('4 disruption', `${name} is evicted by no taint`)
  if (!taints.every(isLifecycle)) return
  if (isDown) throw new Broken('4 disruption', `${name} is evicted while all are down`)
  if (truth.fleet.disruption !== 'none')
    throw new Broken(
      '4 disruption',
      `${name} is evicted while the fleet is ${truth.fleet.disruption}`,
    )
  checkCountdown(truth, write.by, write.atMs, { name, pod: before, node: node.object })
}

interface Countdown {
  readonly name: string
  readonly pod: Pod
  readonly node: Node
}

function checkCountdown(truth: Truth, by: Process, atMs: number, { name, pod, node }: Countdown) {
  const seconds = lifecycleTaints(node).map((taint) => tolerated(pod, taint))
  if (seconds.includes(undefined)) return
  const shortestMs = Math.min(...seconds.map((each) => each!)) * 1_000
  const addedMs = lifecycleTaints(node).map(({ timeAdded }) => Date.parse(timeAdded ?? ''))
  const fromMs = Math.max(Math.min(...addedMs), truth.fleet.floorMs)
  // A taint from a clock ahead counts from when one behind first sees it.
  if (atMs + stampSkewMs(by) + CLOCKS_MS >= fromMs + shortestMs) return
  const why = `${name} is evicted ${atMs - fromMs} ms after the taint, tolerating ${shortestMs}`
  throw new Broken('4 disruption', why)
}

/** For how many seconds; undefined when not at all. */
function tolerated(pod: Pod, taint: Taint): number | undefined {
  const found = (pod.spec?.tolerations ?? []).filter((each) => matches(each, taint))
  if (found.length === 0) return undefined
  return Math.min(
    ...found.map(
      ({ tolerationSeconds = Number.POSITIVE_INFINITY }) =>
        tolerationSeconds ?? Number.POSITIVE_INFINITY,
    ),
  )
}

const matches = ({ key, operator, effect }: Toleration, taint: Taint) =>
  (!effect || effect === taint.effect) && (!key ? operator === 'Exists' : key === taint.key)

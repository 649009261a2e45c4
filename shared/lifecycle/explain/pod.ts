/** When does a pod leave its node, and why? */
import { readCountdown } from '../eviction/countdown.ts'
import { clockText, spanText } from '../evidence.ts'
import { taintsOf } from '../taints/taints.ts'
import type { KnownNode, KnownPod } from '../world.ts'
import { holdMessages } from '../zones/holds.ts'
import type { Explanation } from './explanation.ts'
import type { Judged } from './judged.ts'

type Part = Omit<Explanation, 'kind' | 'name'>

export function explainPod(judged: Judged, pod: KnownPod): Explanation {
  const { namespace, name } = pod.key
  const nodeName = pod.object.spec?.nodeName ?? ''
  const node = judged.world.nodes.get(nodeName)
  return { kind: 'pod', name: `${namespace}/${name}`, ...partOf(judged, pod, node) }
}

function partOf(judged: Judged, pod: KnownPod, node: KnownNode | undefined): Part {
  const on = pod.object.spec?.nodeName
  if (!on) return stays('is bound to no node', [])
  const prospect = judged
    .prospectsOf(on)
    .find(
      ({ what, pod: of }) =>
        what === 'evictPod' && of?.name === pod.key.name && of.namespace === pod.key.namespace,
    )
  const evidence = [`on ${on}; ${taintText(node)}`, ...countdownLines(judged, pod)]
  if (!prospect) return stays(`stays on ${on}`, evidence)
  if (prospect.heldBy) {
    const left = prospect.leftMs === undefined ? '' : `; ${spanText(prospect.leftMs)} are then left`
    return {
      what: `stays on ${on} for now`,
      rule: 'toleration',
      because: [...evidence, holdMessages[prospect.heldBy]],
      undoneBy: `the hold ending${left}`,
      isCalm: false,
    }
  }
  const isNow = prospect.atMs !== undefined && prospect.atMs <= judged.nowMs
  return {
    what: `leaves ${on}${prospect.atMs === undefined ? '' : ` ${clockText(prospect.atMs)}`}`,
    rule: isNow && !readCountdown(pod.object) ? 'not-tolerated' : 'toleration',
    because: evidence,
    undoneBy: `${on} being heard before; pauses and blindness lengthen it`,
    ...(prospect.atMs !== undefined && { nextAtMs: prospect.atMs }),
    isCalm: false,
  }
}

const stays = (what: string, because: readonly string[]): Part => ({
  what,
  rule: 'toleration',
  because,
  isCalm: true,
})

function taintText(node: KnownNode | undefined): string {
  if (!node) return 'the node is gone'
  const taints = taintsOf(node.object).filter(({ effect }) => effect === 'NoExecute')
  if (taints.length === 0) return 'no NoExecute taint'
  return taints.map(({ key, timeAdded }) => `${key}:NoExecute ${timeAdded ?? ''}`.trim()).join(', ')
}

function countdownLines({ nowMs }: Judged, pod: KnownPod): readonly string[] {
  const due = readCountdown(pod.object)
  if (!due) return []
  const tolerated = spanText(due.dueAtMs - due.startedAtMs)
  const counted = spanText(nowMs - due.startedAtMs)
  return [`counts since ${clockText(due.startedAtMs)} (${counted}), tolerated ${tolerated}`]
}

/** What happens next to a node, as text. The forecast is made by the monitor's own code. */
import { forecast, type Prospect } from '../../shared/lifecycle/eviction/forecast.ts'
import { readyOf } from '../../shared/lifecycle/liveness/health.ts'
import { holdMessages } from '../../shared/lifecycle/zones/holds.ts'
import { amount } from './format.ts'
import { type NodeFacts, nodeWorld, settingsOf } from './node-world.ts'

export interface ForecastStep {
  readonly what: string
  readonly atMs?: number
  /** Why it does not come by itself. */
  readonly held?: string
}

interface NodeForecast {
  /** The condition under which the steps come. */
  readonly premise: string
  readonly steps: readonly ForecastStep[]
}

/** Pods that are deleted within this are one step. */
const TOGETHER_MS = 1_000

export function prospectsOf(facts: NodeFacts, nowMs: number): readonly Prospect[] {
  const name = facts.node.metadata.name ?? ''
  return forecast(nodeWorld(facts), name, nowMs, settingsOf(facts.fleet), facts.taintAtMs)
}

export function forecastNode(facts: NodeFacts, nowMs: number): NodeForecast {
  const prospects = prospectsOf(facts, nowMs)
  const sorted = prospects.toSorted((a, b) => orderOf(a) - orderOf(b))
  return { premise: premiseOf(facts, prospects), steps: joined(sorted).map(stepOf) }
}

function premiseOf({ node }: NodeFacts, prospects: readonly Prospect[]): string {
  if (prospects.length === 0) return 'Nothing, until it is heard again or somebody acts.'
  const ready = readyOf(node)?.status
  if (ready === 'True') return 'Nothing while it keeps beating. If it fell silent now:'
  if (ready === 'False') return 'Unless it reports that it is ready again:'
  return ready === 'Unknown' ? 'Unless it is heard again:' : 'Unless it reports for the first time:'
}

/** What is held back without a time comes last. */
const orderOf = ({ atMs }: Prospect): number => atMs ?? Number.MAX_SAFE_INTEGER

interface Joined {
  readonly prospect: Prospect
  readonly pods: readonly string[]
}

/** One step for pods that are deleted together. */
function joined(prospects: readonly Prospect[]): readonly Joined[] {
  const lines: Joined[] = []
  for (const prospect of prospects) {
    const last = lines.at(-1)
    const pod = prospect.pod && `${prospect.pod.namespace}/${prospect.pod.name}`
    if (pod && last && isSame(last.prospect, prospect))
      lines[lines.length - 1] = { ...last, pods: [...last.pods, pod] }
    else lines.push({ prospect, pods: pod ? [pod] : [] })
  }
  return lines
}

const isSame = (a: Prospect, b: Prospect): boolean =>
  a.what === b.what &&
  a.heldBy === b.heldBy &&
  Math.abs((a.atMs ?? 0) - (b.atMs ?? 0)) < TOGETHER_MS

function stepOf({ prospect: { what, atMs, heldBy }, pods }: Joined): ForecastStep {
  return {
    what: what === 'evictPod' ? podText(pods) : stepText[what],
    ...(atMs !== undefined && { atMs }),
    ...(heldBy && { held: holdMessages[heldBy] }),
  }
}

const stepText = {
  markUnknown: 'It is marked Unknown and gets no new pods (taint NoSchedule)',
  taintNoExecute: 'Its pods are told to leave (taint NoExecute), when its turn in the zone comes',
} as const

const MOST_NAMED = 3

function podText(pods: readonly string[]): string {
  const verb = pods.length === 1 ? 'is' : 'are'
  if (pods.length <= MOST_NAMED) return `${pods.join(', ')} ${verb} deleted`
  const others = amount(pods.length - MOST_NAMED, 'other')
  return `${pods.slice(0, MOST_NAMED).join(', ')} and ${others} are deleted`
}

/**
 * What is said about a node, a pod, a zone or the fleet: which rule decided, which numbers it
 * compared, what would undo it, what comes next. One text per rule; `docs/rules.md` is generated
 * from them.
 */
import { clockText } from '../evidence.ts'

export const rules = {
  healthy: 'The host beats within its grace, and reports itself that it is ready.',
  'never-reported':
    'A node that never reported a status has the startup grace, counted from its ' + 'creation.',
  silence:
    'A node whose last sign of life is older than its grace is marked Unknown. Time in ' +
    'which the monitor was blind does not count.',
  'not-ready':
    'A host that reports itself that it is not ready is tainted NoExecute without waiting ' +
    'to settle.',
  settle:
    'A node gets no NoExecute taint until it has been Unknown for node-eviction-settle, ' +
    'so that the last host of a blackout is found before the first is evicted.',
  token: 'NoExecute taints are given one by one, at the rate of the zone.',
  'zone-partial':
    'A zone in which at least 3 nodes and unhealthy-zone-threshold of all are not ready ' +
    'is evicted at the secondary rate; with large-cluster-size-threshold nodes or fewer ' +
    'not at all.',
  'zone-full': 'A zone that is wholly down while others live is evicted as full-zone-policy says.',
  'fleet-disruption':
    'While every zone is wholly down no pod is evicted by lifecycle taints: the fault is ' +
    "probably not the hosts'.",
  blind: 'While the monitor cannot trust what it sees nothing is judged, and no clock runs.',
  refused:
    'While a beat of a host that the service itself had to refuse is younger than its grace, ' +
    'the clock of that host stands still.',
  paused:
    'An operator paused evictions for the zone or the fleet; countdowns stand still ' +
    'meanwhile.',
  maintenance:
    'An operator announced maintenance of the node: it is not tainted, its pods stay, and ' +
    'it does not count for its zone.',
  observe: 'In observe mode the monitor decides and tells, and changes no node and no pod.',
  departed:
    'The host released its lease and is cordoned: it left on purpose and does not count ' +
    'for its zone.',
  toleration:
    'A pod leaves a node with a NoExecute taint when the shortest of its tolerations that ' +
    'match has run out.',
  'not-tolerated': 'A pod that does not tolerate a NoExecute taint of its node leaves at once.',
} as const

export type RuleName = keyof typeof rules

export interface Explanation {
  readonly kind: 'node' | 'pod' | 'zone' | 'fleet'
  /** `namespace/name` for pods. */
  readonly name: string
  /** As people write it: `region.zone`. */
  readonly zone?: string
  /** When what is explained happened or began; absent for what holds now. */
  readonly atMs?: number
  /** `Ready`, `marked Unknown`, `NoExecute waits`, `leaves`, ... */
  readonly what: string
  readonly rule: RuleName
  readonly because: readonly string[]
  readonly undoneBy?: string
  readonly next?: string
  /** When the next step comes, where that is known. */
  readonly nextAtMs?: number
  /** Nothing is wrong and nothing is held back. */
  readonly isCalm: boolean
}

export const rateText = (perSecond: number): string => `${perSecond}/s`

const LABELS = { because: ' because    ', undoneBy: ' undone by  ', next: ' next       ' }

/** The text that the command line and `kubectl get why -o yaml` show. */
export function explanationText(explanation: Explanation): string {
  const { name, zone, atMs, what, rule, because, undoneBy, next } = explanation
  const subject = [name, zone && `(${zone})`, atMs !== undefined && clockText(atMs)]
  const head = `${subject.filter(Boolean).join(' ')}  ${what}`
  return [
    `${head.padEnd(56)} rule ${rule}`,
    ...because.map((line, at) => `${at === 0 ? LABELS.because : ' '.repeat(12)}${line}`),
    ...(undoneBy ? [`${LABELS.undoneBy}${undoneBy}`] : []),
    ...(next ? [`${LABELS.next}${next}`] : []),
  ].join('\n')
}

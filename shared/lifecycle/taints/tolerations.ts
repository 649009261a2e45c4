/** Does a pod put up with the taints of its node, and for how long? */
import type { Taint, Toleration } from '../../kube/objects.ts'

export interface MatchRules {
  /** Whether the operators Lt and Gt count; Kubernetes has them behind a gate. */
  readonly comparisonOperators: boolean
}

const DEFAULT_MATCH_RULES: MatchRules = { comparisonOperators: false }

/** What Go's time.Duration can hold, about 292 years. Kubernetes cannot count further either. */
const LONGEST_SECONDS = 9_223_372_036
const INT64_MAX = 2n ** 63n - 1n
const CANONICAL_INTEGER = /^(0|-?[1-9][0-9]*)$/

export function tolerates(toleration: Toleration, taint: Taint, rules: MatchRules): boolean {
  if (toleration.effect && toleration.effect !== taint.effect) return false
  if (toleration.key && toleration.key !== taint.key) return false
  return operatorAccepts(toleration, taint.value ?? '', rules)
}

function operatorAccepts(toleration: Toleration, taintValue: string, rules: MatchRules): boolean {
  const value = toleration.value ?? ''
  switch (toleration.operator || 'Equal') {
    case 'Equal':
      return taintValue === value
    case 'Exists':
      return true
    case 'Lt':
      return rules.comparisonOperators && isBelow(taintValue, value)
    case 'Gt':
      return rules.comparisonOperators && isBelow(value, taintValue)
    default:
      return false
  }
}

function isBelow(left: string, right: string): boolean {
  const a = parseInt64(left)
  const b = parseInt64(right)
  return a !== undefined && b !== undefined && a < b
}

function parseInt64(text: string): bigint | undefined {
  if (!CANONICAL_INTEGER.test(text)) return undefined
  const value = BigInt(text)
  return value <= INT64_MAX && value >= -INT64_MAX - 1n ? value : undefined
}

/**
 * The toleration used for each taint, in the order of the taints; undefined when one has none.
 * It is the first that matches, not the shortest: users order their tolerations with that in mind.
 */
export function usedTolerations(
  taints: readonly Taint[],
  tolerations: readonly Toleration[],
  rules: MatchRules = DEFAULT_MATCH_RULES,
): readonly Toleration[] | undefined {
  const used: Toleration[] = []
  for (const taint of taints) {
    const first = tolerations.find((toleration) => tolerates(toleration, taint, rules))
    if (first === undefined) return undefined
    used.push(first)
  }
  return used
}

/** How long one toleration lasts; Infinity for one without a limit. */
export function tolerationSeconds(toleration: Toleration): number {
  const seconds = toleration.tolerationSeconds ?? Number.POSITIVE_INFINITY
  return seconds > LONGEST_SECONDS ? Number.POSITIVE_INFINITY : Math.max(0, seconds)
}

/**
 * The shortest of the used ones; Infinity means forever. Of none at all it is 0, as in Kubernetes.
 */
export function minTolerationSeconds(used: readonly Toleration[]): number {
  if (used.length === 0) return 0
  return used.reduce(
    (least, toleration) => Math.min(least, tolerationSeconds(toleration)),
    Number.POSITIVE_INFINITY,
  )
}

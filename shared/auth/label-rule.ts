/**
 * Which labels and annotations may a caller not touch? Kubernetes' list for nodes, and our own
 * prefix.
 */
import { OWN_NODE_LABELS } from '../kube/node-facts.ts'

type Words = Readonly<Record<string, string>>

/** Added, removed and changed keys, in order. */
export function changedKeys(now: Words = {}, before: Words = {}): readonly string[] {
  const keys = new Set([...Object.keys(now), ...Object.keys(before)])
  return [...keys].filter((key) => own(now, key) !== own(before, key)).sort()
}

const own = (words: Words, key: string) => (Object.hasOwn(words, key) ? words[key] : undefined)

/** May a node not add, change or remove this label on itself? */
export function isForbiddenNodeLabel(key: string): boolean {
  const prefix = prefixOf(key)
  if (isUnder(prefix, 'node-restriction.kubernetes.io')) return true
  if (!isUnder(prefix, 'kubernetes.io') && !isUnder(prefix, 'k8s.io')) return false
  if (OWN_NODE_LABELS.has(key)) return false
  return !isUnder(prefix, 'kubelet.kubernetes.io') && !isUnder(prefix, 'node.kubernetes.io')
}

/** Keys by which people steer this service. `agent.leasehold.dev/` is the host's own voice. */
export function isSteering(key: string): boolean {
  const prefix = prefixOf(key)
  return isUnder(prefix, 'leasehold.dev') && prefix !== 'agent.leasehold.dev'
}

const prefixOf = (key: string) => key.slice(0, Math.max(0, key.indexOf('/')))
const isUnder = (prefix: string, domain: string) =>
  prefix === domain || prefix.endsWith(`.${domain}`)

/** Which labels and annotations does a write change, and which keys belong to operators? */
import { isInDomain } from '../../kube/node/well-known.ts'

type StringMap = Readonly<Record<string, string>>

/** Added, removed and changed keys, in order. */
export function changedKeys(now: StringMap = {}, before: StringMap = {}): readonly string[] {
  const keys = new Set([...Object.keys(now), ...Object.keys(before)])
  return [...keys].filter((key) => own(now, key) !== own(before, key)).sort()
}

const own = (words: StringMap, key: string) => (Object.hasOwn(words, key) ? words[key] : undefined)

/** Keys by which operators control this service. `agent.leasehold.dev/` is the agent's own. */
export const isOperatorKey = (key: string): boolean =>
  isInDomain(key, 'leasehold.dev') && !key.startsWith('agent.leasehold.dev/')

/** The uids of Nodes as the tokens of their hosts are compared with, remembered for a while. */
import { lru } from '../../../shared/auth/caches.ts'
import type { Store } from '../../../shared/store/ports.ts'

/** How long a token may still read after its Node was deleted; as long as after a revocation. */
const FRESH_MS = 30_000
/** Hosts rarely read; those that do are remembered, two hundred bytes each. */
const REMEMBERED = 4_096

export type NodeUids = (name: string, nowMs: number, wanted: string) => Promise<string | undefined>

export function nodeUids({ objects }: Store): NodeUids {
  const known = lru<{ readonly uid: string; readonly readAtMs: number }>(REMEMBERED)
  return async (name, nowMs, wanted) => {
    const found = known.get(name)
    const ageMs = found ? nowMs - found.readAtMs : Number.POSITIVE_INFINITY
    // Another uid than the token's is read again: the host may have joined a moment ago.
    if (found?.uid === wanted && ageMs >= 0 && ageMs < FRESH_MS) return found.uid
    const node = await objects.get('nodes', { namespace: '', name }, 'lean')
    if (node) known.set(name, { uid: node.uid, readAtMs: nowMs })
    else known.delete(name)
    return node?.uid
  }
}

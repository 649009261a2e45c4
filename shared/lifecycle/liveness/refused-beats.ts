/** Whose beats did the api refuse for reasons of its own, and when last? */
import type { RefusedBeats } from '../record-names.ts'

/** Node name -> when its last beat was refused. */
export type Refusals = ReadonlyMap<string, number>

/**
 * From the records of all processes. What a token of an earlier Node of the name met says nothing
 * about the Node there is now, and a process with a fast clock must not reach into the future.
 */
export function latestRefusals(
  records: readonly RefusedBeats[],
  uidOf: (name: string) => string | undefined,
  nowMs: number,
): Refusals {
  const latest = new Map<string, number>()
  for (const { nodes } of records) {
    for (const [name, { atMs, uid }] of Object.entries(nodes)) {
      const now = uidOf(name)
      if (now === undefined || (uid !== undefined && uid !== now)) continue
      latest.set(name, Math.max(Math.min(atMs, nowMs), latest.get(name) ?? 0))
    }
  }
  return latest
}

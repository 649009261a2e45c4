/** Which of these nodes are there, and who are they? Read consistently, whatever the cache says. */
import type { Store } from '../../../shared/store/ports.ts'

/** Name -> uid; a name that is missing has no node. */
export async function nodeUids(
  { objects }: Store,
  names: Iterable<string>,
): Promise<ReadonlyMap<string, string>> {
  const keys = [...new Set(names)].map((name) => ({ namespace: '', name }))
  const nodes = keys.length > 0 ? await objects.read('nodes', keys, 'lean') : []
  return new Map(nodes.map(({ key, uid }) => [key.name, uid]))
}

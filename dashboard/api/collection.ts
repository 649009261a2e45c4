/** The objects of one list, kept current by the events of a watch. */
import type { KubeObject } from '../../shared/kube/objects.ts'

export interface KubeList<T> {
  readonly metadata: { readonly resourceVersion?: string; readonly continue?: string }
  readonly items?: readonly T[]
}

export interface WatchEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR'
  readonly object: KubeObject & { readonly code?: number; readonly message?: string }
}

interface Collection<T> {
  readonly items: ReadonlyMap<string, T>
  /** Where a watch goes on from. */
  readonly version: string
}

const keyOf = ({ metadata }: KubeObject): string =>
  metadata.namespace ? `${metadata.namespace}/${metadata.name}` : (metadata.name ?? '')

export function collectionFromList<T extends KubeObject>(list: KubeList<T>): Collection<T> {
  const items = new Map((list.items ?? []).map((item) => [keyOf(item), item]))
  return { items, version: list.metadata.resourceVersion ?? '' }
}

/** Several at once: a burst of a thousand events is one copy of the map and one drawing. */
export function applyEvents<T extends KubeObject>(
  { items, version }: Collection<T>,
  events: readonly WatchEvent[],
): Collection<T> {
  const next = new Map(items)
  let latest = version
  for (const { type, object } of events) {
    if (type === 'DELETED') next.delete(keyOf(object))
    else if (type === 'ADDED' || type === 'MODIFIED') next.set(keyOf(object), object as T)
    latest = object.metadata.resourceVersion ?? latest
  }
  return { items: next, version: latest }
}

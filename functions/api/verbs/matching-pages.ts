/** The objects of a collection that match the selectors, in order, page by page. */
import type { Key } from '../../../shared/store/ports.ts'
import type { ResourceRequest } from '../deps.ts'
import { storageOf } from '../storage/registry.ts'
import type { Stored } from '../storage/resource-storage.ts'

export interface Matched {
  readonly items: readonly Stored[]
  /** Where the next page goes on; absent on the last. */
  readonly next?: Key
  readonly remaining?: number
}

// About a megabyte of nodes: few round trips, little memory.
const PAGE_SIZE = 500

export async function* matchingPages(
  request: ResourceRequest,
  start: Key | undefined,
  pageSize = PAGE_SIZE,
): AsyncIterable<Matched> {
  const { api, identity, resource, key, nowMs } = request
  const { isEmpty, matches, exact } = request.selection
  const storage = storageOf(api.store, resource, nowMs)
  const namespace = key.namespace || undefined
  let after = start
  do {
    const query = { namespace, after, limit: pageSize, exact }
    const page = await api.pageReads.run(identity.user, () => storage.page(query))
    const items = isEmpty ? page.items : page.items.filter(({ object }) => matches(object))
    // How many more match is not known without looking at them.
    yield { items, next: page.next, remaining: isEmpty ? page.remaining : undefined }
    after = page.next
  } while (after)
}

/** At most `limit` matches. Skips pages without one, so it may read more than it shows. */
export async function onePage(
  request: ResourceRequest,
  start: Key | undefined,
  limit: number,
): Promise<Matched> {
  const taken: Stored[] = []
  const pageSize = request.selection.isEmpty ? limit : PAGE_SIZE
  for await (const page of matchingPages(request, start, pageSize)) {
    const room = limit - taken.length
    taken.push(...page.items.slice(0, room))
    if (page.items.length > room) return { items: taken, next: taken.at(-1)!.key }
    if (!page.next) return { items: taken }
    if (taken.length === limit) return { ...page, items: taken }
  }
  return { items: taken }
}

/** The events of one watch, from the first to the last. */
import { expired } from '../../../shared/kube/status-error.ts'
import { MAX_VERSION_LEAD_MS } from '../../../shared/lifecycle/clock-bounds.ts'
import { keyText } from '../../../shared/store/object-state.ts'
import type { Store } from '../../../shared/store/ports.ts'
import type { ResourceRequest } from '../deps.ts'
import { matchingPages } from '../verbs/matching-pages.ts'
import type { ChangeSource, Delta } from './change-source.ts'
import { type EventEncoder, errorEvent, eventObject, INITIAL_EVENTS_END } from './event-encoder.ts'
import type { EventFilter } from './event-filter.ts'
import type { BufferedChanges, WatchBuffer } from './watch-buffer.ts'
import { OVERLAP, oldestVersion, versionAt, type WatchOptions } from './watch-options.ts'

const BOOKMARK_MS = 60_000

interface Watch {
  readonly request: ResourceRequest
  readonly options: WatchOptions
  readonly store: Store
  readonly now: () => number
  readonly source: ChangeSource
  /** Subscribed to the source before the first event is asked for. */
  readonly buffer: WatchBuffer
  readonly encoder: EventEncoder
  /** Where the client begins: the version it named, or now. */
  readonly startVersion: number
  readonly filter: EventFilter
}

export async function* watchEvents(watch: Watch): AsyncGenerator<string> {
  const { options, source, startVersion, filter } = watch
  const refusal = await refusalOf(watch)
  if (refusal) return yield refusal
  // A poll that was under way at the subscription reported to no one: `changesSince` knows its
  // result.
  await source.pollFinished()
  if (options.initialEvents) {
    yield* initialEvents(watch)
  } else if (options.version !== undefined) {
    const changes = await source.changesSince(startVersion, filter.wants)
    if (!changes) return yield tooOld(startVersion, versionAt(watch.now()))
    yield* deltaEvents(watch, withoutReusedNames(changes, watch))
  }
  yield* liveEvents(watch)
}

async function refusalOf({ options, store, now }: Watch): Promise<string | undefined> {
  const { version, initialEvents } = options
  if (version === undefined) return undefined
  const nowMs = now()
  const isAhead = version > versionAt(nowMs + MAX_VERSION_LEAD_MS)
  // A client that is sent every object needs no history.
  const oldest = initialEvents ? 0 : await oldestVersion(store, nowMs)
  return isAhead || version < oldest
    ? tooOld(version, isAhead ? versionAt(nowMs) : oldest)
    : undefined
}

const tooOld = (version: number, known: number) =>
  errorEvent(expired(`too old resource version: ${version} (${known})`).body)

async function* initialEvents({ request, options, now, ...watch }: Watch) {
  const { encoder, filter, source, startVersion, buffer } = watch
  for await (const { items } of matchingPages(request, undefined)) {
    // A clean end here would make the client take a part of the objects for all.
    if (buffer.isEnded()) throw new Error('the watch was over before its initial events were')
    source.recordListed(items)
    for (const item of items) {
      filter.markSent(item)
      yield encoder.object('ADDED', item.object, now())
    }
  }
  if (!options.isWatchList || !options.bookmarks) return
  yield encoder.bookmark(startVersion, now(), { [INITIAL_EVENTS_END]: 'true' })
}

/**
 * The overlap reaches back to deletions from before the client's list. Where a new object had taken
 * the name before that list, its own event suffices, and the old DELETED would be read as its end:
 * `kubectl delete` waits for one and does not compare uids.
 */
function withoutReusedNames(
  deltas: readonly Delta[],
  { startVersion, filter }: Pick<Watch, 'startVersion' | 'filter'>,
): readonly Delta[] {
  const takenAt = new Map<string, number>()
  for (const delta of deltas) {
    const { key, createdVersion } = delta
    if (createdVersion > startVersion || !filter.wants(delta)) continue
    takenAt.set(keyText(key), Math.max(createdVersion, takenAt.get(keyText(key)) ?? 0))
  }
  const isFormer = ({ key, deleted, version }: Delta) =>
    deleted && version < (takenAt.get(keyText(key)) ?? 0)
  return deltas.filter((delta) => !isFormer(delta))
}

function* deltaEvents({ filter, encoder, now }: Watch, deltas: readonly Delta[]) {
  for (const delta of deltas) {
    const type = filter.eventTypeFor(delta)
    if (type) yield encoder.object(type, eventObject(delta), now())
  }
}

async function* liveEvents(watch: Watch): AsyncGenerator<string> {
  const { buffer, filter, now } = watch
  const bookmarks = bookmarksOf(watch)
  // Until then polls may repeat what the first events have shown.
  const settledVersion = versionAt(now()) + OVERLAP
  for (let isSettled = false; ; ) {
    const changes = await buffer.take()
    yield* deltaEvents(watch, changes.deltas)
    if (!isSettled && (changes.polledVersion ?? 0) > settledVersion) {
      filter.forgetSent()
      isSettled = true
    }
    yield* bookmarks(changes)
    if (changes.ended) return
  }
}

/** Once a minute and just before the end, so that a quiet watch does not resume from its start. */
function bookmarksOf({ options, encoder, now, startVersion }: Watch) {
  let markedMs = now()
  let markedVersion = startVersion
  return function* ({ polledVersion = 0, ended }: BufferedChanges): Iterable<string> {
    const isDue = ended || now() - markedMs >= BOOKMARK_MS
    if (!options.bookmarks || !isDue || polledVersion <= markedVersion) return
    markedMs = now()
    markedVersion = polledVersion
    yield encoder.bookmark(polledVersion, markedMs)
  }
}

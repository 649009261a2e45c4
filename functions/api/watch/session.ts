/** One watch from its first frame to its last. */
import { expired } from '../../../shared/kube/status-error.ts'
import { keyText } from '../../../shared/store/object-state.ts'
import type { Store } from '../../../shared/store/ports.ts'
import type { ResourceRequest } from '../request/resource-request.ts'
import { matchingPages } from '../verbs/matching-pages.ts'
import type { Delta } from './delta.ts'
import { oldestVersion } from './floor.ts'
import { errorFrame, type Frames, INITIAL_EVENTS_END, shownObject } from './frames.ts'
import type { Inbox, News } from './inbox.ts'
import type { Source } from './source.ts'
import { BOOKMARK_MS, FUTURE_MS, OVERLAP, versionAt } from './timing.ts'
import type { View } from './view.ts'
import type { WatchOptions } from './watch-options.ts'

export interface Session {
  readonly request: ResourceRequest
  readonly options: WatchOptions
  readonly store: Store
  readonly now: () => number
  readonly source: Source
  readonly inbox: Inbox
  readonly frames: Frames
  /** Where the client stands: the version it named, or now. */
  readonly startVersion: number
  readonly view: View
}

/** Has joined its source before the first frame is asked for. */
export async function* framesOf(session: Session): AsyncGenerator<string> {
  const { options, source, startVersion } = session
  const refusal = await refusalOf(session)
  if (refusal) return yield refusal
  // Whatever a poll finds that was under way when this watch joined is known to the source after
  // it.
  await source.settled()
  if (options.initialEvents) {
    yield* initialFrames(session)
  } else if (options.version !== undefined) {
    const missed = await source.since(startVersion, session.view.wants)
    if (!missed) return yield tooOld(startVersion, versionAt(session.now()))
    yield* deltaFrames(session, withoutFormerBearers(missed, session))
  }
  yield* liveFrames(session)
}

async function refusalOf({ options, store, now }: Session): Promise<string | undefined> {
  const { version, initialEvents } = options
  if (version === undefined) return undefined
  const nowMs = now()
  const isAhead = version > versionAt(nowMs + FUTURE_MS)
  // Whoever is sent everything there is needs no history.
  const oldest = initialEvents ? 0 : await oldestVersion(store, nowMs)
  return isAhead || version < oldest
    ? tooOld(version, isAhead ? versionAt(nowMs) : oldest)
    : undefined
}

const tooOld = (version: number, known: number) =>
  errorFrame(expired(`too old resource version: ${version} (${known})`).body)

async function* initialFrames({ request, options, now, ...session }: Session) {
  const { frames, view, source, startVersion, inbox } = session
  for await (const { items } of matchingPages(request, undefined)) {
    // Ended cleanly here, a part of what there is would look like all of it.
    if (inbox.isEnded()) throw new Error('the watch was over before its initial events were')
    source.learn(items)
    for (const item of items) {
      view.sent(item)
      yield frames.object('ADDED', item.object, now())
    }
  }
  if (!options.isWatchList || !options.bookmarks) return
  yield frames.bookmark(startVersion, now(), { [INITIAL_EVENTS_END]: 'true' })
}

/**
 * The overlap reaches back to ends that the client's list has left behind. Where the name was taken
 * again before that list, its new bearer says it all, if it is told of, and the old end would be
 * read as its own: `kubectl delete` waits for one and asks for no uid.
 */
function withoutFormerBearers(
  deltas: readonly Delta[],
  { startVersion, view }: Pick<Session, 'startVersion' | 'view'>,
): readonly Delta[] {
  const takenAt = new Map<string, number>()
  for (const delta of deltas) {
    const { key, createdVersion } = delta
    if (createdVersion > startVersion || !view.wants(delta)) continue
    takenAt.set(keyText(key), Math.max(createdVersion, takenAt.get(keyText(key)) ?? 0))
  }
  const isFormer = ({ key, deleted, version }: Delta) =>
    deleted && version < (takenAt.get(keyText(key)) ?? 0)
  return deltas.filter((delta) => !isFormer(delta))
}

function* deltaFrames({ view, frames, now }: Session, deltas: readonly Delta[]) {
  for (const delta of deltas) {
    const type = view.tell(delta)
    if (type) yield frames.object(type, shownObject(delta), now())
  }
}

async function* liveFrames(session: Session): AsyncGenerator<string> {
  const { inbox, view, now } = session
  const marks = bookmarks(session)
  // Until then polls may repeat what the first frames have shown.
  const settledVersion = versionAt(now()) + OVERLAP
  for (let isSettled = false; ; ) {
    const news = await inbox.take()
    yield* deltaFrames(session, news.deltas)
    if (!isSettled && (news.polledVersion ?? 0) > settledVersion) {
      view.settle()
      isSettled = true
    }
    yield* marks(news)
    if (news.ended) return
  }
}

/**
 * About once a minute and just before the end, so that a quiet watch resumes from where it was, not
 * from its start.
 */
function bookmarks({ options, frames, now, startVersion }: Session) {
  let markedMs = now()
  let markedVersion = startVersion
  return function* ({ polledVersion = 0, ended }: News): Iterable<string> {
    const isDue = ended || now() - markedMs >= BOOKMARK_MS
    if (!options.bookmarks || !isDue || polledVersion <= markedVersion) return
    markedMs = now()
    markedVersion = polledVersion
    yield frames.bookmark(polledVersion, markedMs)
  }
}

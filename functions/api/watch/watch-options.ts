/** What kind of watch is asked for, how long will it last, which versions can it still begin at? */
import { forbiddenField, unsupportedValue } from '../../../shared/kube/field-errors.ts'
import { badRequest, type FieldError } from '../../../shared/kube/status-error.ts'
import { WATCH_OVERLAP_MS } from '../../../shared/lifecycle/clock-bounds.ts'
import { tombstoneKeptMs } from '../../../shared/store/object-state.ts'
import type { Store } from '../../../shared/store/ports.ts'
import { queryFlag, refuseOptions } from '../request/options.ts'
import type { WatchSettings } from './watch-limits.ts'

export interface WatchOptions {
  /** Begins with an ADDED for every object. */
  readonly initialEvents: boolean
  /** The version to continue from; absent for the newest state. */
  readonly version?: number
  /** Marks the end of the initial events. */
  readonly isWatchList: boolean
  readonly bookmarks: boolean
  /** Absent: the server chooses. */
  readonly timeoutSeconds?: number
}

export function watchOptions(query: URLSearchParams): WatchOptions {
  checkCombination(query)
  const bookmarks = queryFlag(query, 'allowWatchBookmarks')
  const text = query.get('resourceVersion') ?? ''
  if (!/^\d{0,16}$/.test(text)) throw badRequest(`invalid resource version ${JSON.stringify(text)}`)
  const version = Number(text)
  const fromAnywhere = version === 0
  const isWatchList = query.has('sendInitialEvents')
  return {
    initialEvents: isWatchList ? queryFlag(query, 'sendInitialEvents') : fromAnywhere,
    ...(!fromAnywhere && { version }),
    isWatchList,
    bookmarks,
    ...timeoutOf(query),
  }
}

function timeoutOf(query: URLSearchParams): { readonly timeoutSeconds?: number } {
  const text = query.get('timeoutSeconds') || '0'
  if (!/^\d{1,9}$/.test(text)) throw badRequest('timeoutSeconds must be a whole number of seconds')
  const timeoutSeconds = Number(text)
  return timeoutSeconds > 0 ? { timeoutSeconds } : {}
}

/** An informer waits for the end of its initial events, so an unclear request is refused. */
function checkCombination(query: URLSearchParams): void {
  const match = query.get('resourceVersionMatch') ?? ''
  const wantsInitial = query.has('sendInitialEvents')
  const errors: FieldError[] = []
  if (wantsInitial && match !== 'NotOlderThan') {
    errors.push(refused('sendInitialEvents requires setting resourceVersionMatch to NotOlderThan'))
  }
  if (!wantsInitial && match !== '') {
    errors.push(
      refused('resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided'),
    )
  }
  if (match !== '' && match !== 'NotOlderThan') {
    errors.push(unsupportedValue('resourceVersionMatch', match, ['NotOlderThan']))
  }
  refuseOptions('ListOptions', errors)
}

const refused = (why: string) => forbiddenField('resourceVersionMatch', why)

/**
 * resourceVersions as watches use them. A change is stamped, then written, then shown by the index:
 * at time T a reader of the index sees every change stamped before T minus OVERLAP, whichever
 * process stamped it.
 */
const MICROS = 1_000

export const versionAt = (ms: number): number => Math.floor(ms) * MICROS
export const OVERLAP = versionAt(WATCH_OVERLAP_MS)

/** Tombstones are kept this long; before that no source can report what was deleted. */
export const HISTORY_MS = tombstoneKeptMs - WATCH_OVERLAP_MS

/** Written by `leasehold restored`: versions from before a restore mean nothing. */
export const OLDEST_VERSION_RECORD = 'floor'

export interface OldestVersionRecord {
  readonly version: number
}

/** A watch from an older version is too old: the history before it is not complete. */
export async function oldestVersion(store: Store, nowMs: number): Promise<number> {
  const restored = await store.records.get<OldestVersionRecord>(OLDEST_VERSION_RECORD)
  return Math.max(versionAt(nowMs - HISTORY_MS), restored?.value.version ?? 0)
}

/** Lambda kills the function at its deadline; the last events and the slot need a moment before. */
const DEADLINE_MARGIN_MS = 5_000

export interface WatchRuntime {
  readonly clock: () => number
  readonly random: () => number
  /** When this process will be stopped from outside, if that is known (Lambda). */
  readonly deadlineMs?: () => number | undefined
}

export function watchDurationMs(
  timeoutSeconds: number | undefined,
  settings: WatchSettings,
  { clock, random, deadlineMs }: WatchRuntime,
): number {
  const chosenMs = settings.minTimeoutMs * (1 + random())
  const askedMs = timeoutSeconds === undefined ? chosenMs : timeoutSeconds * 1_000
  const leftMs = (deadlineMs?.() ?? Number.POSITIVE_INFINITY) - clock() - DEADLINE_MARGIN_MS
  return Math.max(0, Math.min(askedMs, settings.maxTimeoutMs, leftMs))
}

/** What kind of watch is asked for? */
import { badRequest, type FieldError, invalid } from '../../../shared/kube/status-error.ts'
import { flag, notSupported } from '../request/options.ts'

export interface WatchOptions {
  /** Begins with an ADDED for everything there is. */
  readonly initialEvents: boolean
  /** The version to go on from; absent for the newest state, whatever it is. */
  readonly version?: number
  /** Marks the end of the initial events. */
  readonly isWatchList: boolean
  readonly bookmarks: boolean
  /** Absent for the server's choice. */
  readonly timeoutSeconds?: number
}

export function watchOptions(query: URLSearchParams): WatchOptions {
  checkCombination(query)
  const bookmarks = flag(query, 'allowWatchBookmarks')
  const text = query.get('resourceVersion') ?? ''
  if (!/^\d{0,16}$/.test(text)) throw badRequest(`invalid resource version ${JSON.stringify(text)}`)
  const version = Number(text)
  const fromAnywhere = version === 0
  const isWatchList = query.has('sendInitialEvents')
  return {
    initialEvents: isWatchList ? flag(query, 'sendInitialEvents') : fromAnywhere,
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

/**
 * An informer that asks for initial events waits for their end, so a half-understood request must
 * be refused.
 */
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
    errors.push(notSupported('resourceVersionMatch', match, ['NotOlderThan']))
  }
  if (errors.length === 0) return
  throw invalid({ group: 'meta.k8s.io', plural: '', kind: 'ListOptions' }, '', errors)
}

const refused = (why: string): FieldError => ({
  type: 'Forbidden',
  field: 'resourceVersionMatch',
  message: `Forbidden: ${why}`,
})

/** One request for a resource, after the URL was read and before anything was done. */
import type { Identity } from '../../../shared/auth/identity.ts'
import type { Format } from '../answer/accept.ts'
import type { Api } from '../deps.ts'
import type { Incoming } from './incoming.ts'
import type { Selection } from './selection.ts'
import type { ResourceTarget } from './target.ts'

export interface ResourceRequest extends ResourceTarget {
  readonly api: Api
  readonly identity: Identity
  readonly raw: Incoming
  readonly path: string
  readonly query: URLSearchParams
  readonly format: Format
  /** Of a list or watch; everything otherwise. */
  readonly selection: Selection
  /**
   * The one reading of the clock this request lives by, corrected where it is known to be wrong.
   */
  readonly nowMs: number
}

/** Navigation within the page, without loading it anew; back and forward work as usual. */
import type { ComponentType } from 'preact'
import { useMemo } from 'preact/hooks'
import { type Query, queryOf, urlOf } from '../state/query.ts'
import { useBrowserValue } from './use-browser-value.ts'

/** A view of the page. routes.ts lists them. */
export interface ViewRoute {
  readonly view: string
  readonly title: (query: Query) => string
  /** Where the menu leads; absent for a view that only other views link to. */
  readonly menu?: Query
  readonly View: ComponentType<{ readonly query: Query }>
}

const NAVIGATED = 'leasehold-navigated'

/** `replace` where back should not lead to every step, such as typing into a filter. */
export function navigate(query: Query, how: 'push' | 'replace' = 'push'): void {
  const url = urlOf(query)
  if (how === 'push') history.pushState(null, '', url)
  else history.replaceState(null, '', url)
  dispatchEvent(new Event(NAVIGATED))
}

export function useQuery(): Query {
  const search = useBrowserValue(window, ['popstate', NAVIGATED], () => location.search)
  return useMemo(() => queryOf(search), [search])
}

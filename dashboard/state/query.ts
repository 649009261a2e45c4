/** The URL's query names the view and all it shows, so that a copied link shows the same. */

export type Query = Readonly<Record<string, string>>

export const queryOf = (search: string): Query => Object.fromEntries(new URLSearchParams(search))

/** `/`, or `/?…`; an empty value is left out. */
export function urlOf(query: Query): string {
  const search = new URLSearchParams(Object.entries(query).filter(([, value]) => value)).toString()
  return search === '' ? '/' : `/?${search}`
}

/** `?node=NAME` is the view of one node, `?view=leases` that of the leases, and so on. */
export function routeFor<T extends { readonly view: string }>(
  routes: readonly T[],
  { node, view }: Query,
): T | undefined {
  const wanted = node ? 'node' : view
  return routes.find((route) => route.view === wanted)
}

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { queryOf, routeFor, urlOf } from '../../../dashboard/state/query.ts'

const text = fc.string({ unit: 'grapheme', minLength: 1 })
const queries = fc.oneof(
  fc.record({ node: text }),
  fc.record({ view: fc.constant('leases'), namespace: text }),
  fc.constant({ view: 'activity' }),
)
const routes = ['leases', 'activity', 'node'].map((view) => ({ view }))

describe('a query and its URL', () => {
  it('say the same', () => {
    fc.assert(
      fc.property(queries, (query) => {
        expect(queryOf(new URL(urlOf(query), 'http://x').search)).toEqual(query)
      }),
    )
  })

  it('leaves out what is empty', () => {
    expect(urlOf({ view: 'leases', namespace: '' })).toBe('/?view=leases')
  })

  it.each([
    { search: '', view: 'fleet' },
    { search: '?view=nonsense', view: 'fleet' },
    { search: '?node=a', view: 'node' },
    { search: '?view=leases', view: 'leases' },
    { search: '?view=activity', view: 'activity' },
  ])('$search is the $view', ({ search, view }) => {
    expect((routeFor(routes, queryOf(search)) ?? { view: 'fleet' }).view).toBe(view)
  })
})

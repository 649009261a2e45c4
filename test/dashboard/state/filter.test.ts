import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  filterOf,
  filterQuery,
  isFiltering,
  noFilter,
  toggleState,
} from '../../../dashboard/state/filter.ts'
import { queryOf, urlOf } from '../../../dashboard/state/query.ts'
import { nodeStates } from '../../../shared/lifecycle/liveness/node-summary.ts'

const text = fc.string({ unit: 'grapheme' })
const filters = fc.record({ zone: text, states: fc.subarray([...nodeStates]), labels: text })

describe('a filter and its URL', () => {
  it('say the same', () => {
    fc.assert(
      fc.property(filters, (filter) => {
        const { search } = new URL(urlOf(filterQuery(filter)), 'http://x')
        expect(filterOf(queryOf(search))).toEqual(filter)
      }),
    )
  })

  it('ignores states that there are not', () => {
    expect(filterOf(queryOf('?state=unknown,asleep'))).toEqual({ ...noFilter, states: ['unknown'] })
  })

  it('of the whole fleet is the shortest there is', () => {
    expect(urlOf(filterQuery(noFilter))).toBe('/')
  })
})

it('another click on a state takes it back', () => {
  fc.assert(
    fc.property(fc.subarray([...nodeStates]), fc.constantFrom(...nodeStates), (states, state) => {
      const filter = { ...noFilter, states }
      expect(toggleState(toggleState(filter, state), state)).toEqual(filter)
      expect(isFiltering(toggleState(noFilter, state))).toBe(true)
    }),
  )
})

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  isFiltering,
  noFilter,
  type Place,
  placeOf,
  toggleState,
  urlOf,
} from '../../../dashboard/state/place.ts'
import { cellStates } from '../../../shared/lifecycle/cells.ts'

const text = fc.string({ unit: 'grapheme' })
const places: fc.Arbitrary<Place> = fc.oneof(
  fc.record({
    view: fc.constant('fleet' as const),
    filter: fc.record({ zone: text, states: fc.subarray([...cellStates]), labels: text }),
  }),
  fc.record({ view: fc.constant('node' as const), name: text.filter((name) => name !== '') }),
  fc.record({ view: fc.constant('leases' as const), namespace: text }),
  fc.constant({ view: 'activity' as const }),
)

describe('a place and its URL', () => {
  it('say the same', () => {
    fc.assert(
      fc.property(places, (place) => {
        expect(placeOf(new URL(urlOf(place), 'http://x').search)).toEqual(place)
      }),
    )
  })

  it.each([
    { search: '', view: 'fleet' },
    { search: '?view=nonsense', view: 'fleet' },
    { search: '?node=a', view: 'node' },
    { search: '?view=leases', view: 'leases' },
    { search: '?view=activity', view: 'activity' },
  ])('$search is the $view', ({ search, view }) => {
    expect(placeOf(search).view).toBe(view)
  })

  it('ignores states that there are not', () => {
    const place = placeOf('?state=unknown,asleep')
    expect(place).toEqual({ view: 'fleet', filter: { ...noFilter, states: ['unknown'] } })
  })

  it('of the whole fleet is the shortest there is', () => {
    expect(urlOf({ view: 'fleet', filter: noFilter })).toBe('/')
  })
})

it('another click on a state takes it back', () => {
  fc.assert(
    fc.property(fc.subarray([...cellStates]), fc.constantFrom(...cellStates), (states, state) => {
      const filter = { ...noFilter, states }
      expect(toggleState(toggleState(filter, state), state)).toEqual(filter)
      expect(isFiltering(toggleState(noFilter, state))).toBe(true)
    }),
  )
})

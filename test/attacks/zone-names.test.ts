/** Finding 7: a zone must not be called what another zone's object is named. */
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { zoneName } from '../../shared/lifecycle/zones/zone-state.ts'

it('no zone takes the name of the object of another', () => {
  const label = fc.stringMatching(/^[A-Za-z0-9]([A-Za-z0-9_.-]{0,10}[A-Za-z0-9])?$/)
  fc.assert(
    fc.property(label, label, (region, zone) => {
      const name = zoneName(region, zone)
      // A second zone that is called what the first one's object is named gets another object.
      fc.pre(region !== '' || zone !== name)
      expect(zoneName('', name)).not.toBe(name)
    }),
  )
  const victim = zoneName('', 'Rack_410')
  expect(zoneName('', victim)).not.toBe(victim)
})

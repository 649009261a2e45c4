import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { subdomainName } from '../../../../shared/kube/meta/names.ts'
import { zoneName } from '../../../../shared/lifecycle/zones/zone-state.ts'

describe('zoneName', () => {
  it.each([
    { region: '', zone: '', name: 'none' },
    { region: 'eu', zone: 'a', name: 'eu.a' },
    { region: '', zone: 'rack-7', name: 'rack-7' },
  ])('$region/$zone is $name', ({ region, zone, name }) => {
    expect(zoneName(region, zone)).toBe(name)
  })

  it.each([
    { when: 'there is a region only', region: 'eu', zone: '', name: /^eu-[0-9a-f]{8}$/ },
    {
      when: 'DNS has no such letters',
      region: 'EU_W',
      zone: 'A.1',
      name: /^eu-w-a-1-[0-9a-f]{8}$/,
    },
    { when: 'it looks like no zone', region: '', zone: 'none', name: /^none-[0-9a-f]{8}$/ },
  ])('bears a fingerprint when $when', ({ region, zone, name }) => {
    expect(zoneName(region, zone)).toMatch(name)
  })

  const label = fc.stringMatching(/^([A-Za-z0-9]([A-Za-z0-9_.-]{0,10}[A-Za-z0-9])?)?$/)

  it('is a legal name for every pair of label values', () => {
    fc.assert(
      fc.property(label, label, (region, zone) => {
        expect(subdomainName(zoneName(region, zone))).toEqual([])
      }),
    )
  })

  it('tells any two zones apart', () => {
    const pair = fc.tuple(label, label)
    fc.assert(
      fc.property(pair, pair, ([a, b], [c, d]) => {
        fc.pre(a !== c || b !== d)
        expect(zoneName(a, b)).not.toBe(zoneName(c, d))
      }),
    )
  })
})

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { ZoneState } from '../../../../shared/kube/zone/resource.ts'
import { defaultSettings } from '../../../../shared/lifecycle/settings.ts'
import { evictionRate, zoneStateOf } from '../../../../shared/lifecycle/zones/zone-state.ts'
import { casesOf, runCases } from '../vectors.ts'

describe('compute-zone-state vectors', () => {
  type Given = { readyStatuses: (string | null)[]; unhealthyZoneThreshold: number }
  const cases = casesOf<Given, { state: ZoneState; notReady: number }>('compute-zone-state')
  runCases('compute-zone-state', cases, ({ readyStatuses, unhealthyZoneThreshold }, expected) => {
    const notReady = readyStatuses.filter((status) => status !== 'True').length
    expect(notReady).toBe(expected.notReady)
    const count = { size: readyStatuses.length, notReady }
    expect(zoneStateOf(count, unhealthyZoneThreshold)).toBe(expected.state)
  })
})

interface RateCase {
  readonly state: ZoneState
  readonly zoneSize: number
  readonly evictionRate: number
  readonly secondaryEvictionRate: number
  readonly largeClusterThreshold: number
}

describe('zone-eviction-rate vectors', () => {
  const cases = casesOf<RateCase, { rate: number }>('zone-eviction-rate')
  runCases('zone-eviction-rate', cases, (given, { rate }) => {
    const settings = {
      nodeEvictionRate: given.evictionRate,
      secondaryNodeEvictionRate: given.secondaryEvictionRate,
      largeClusterSizeThreshold: given.largeClusterThreshold,
      fullZonePolicy: 'kubernetes' as const,
    }
    expect(evictionRate(given.state, given.zoneSize, settings)).toBe(rate)
  })
})

describe('a zone', () => {
  const size = fc.integer({ min: 1, max: 10_000 })

  it('never looks better when one more of its nodes is ill', () => {
    const order = ['Normal', 'PartialDisruption', 'FullDisruption']
    const share = fc.double({ min: 0, max: 1, noNaN: true })
    fc.assert(
      fc.property(size, fc.nat(), share, (size, ill, threshold) => {
        const notReady = ill % size
        const before = zoneStateOf({ size, notReady }, threshold)
        const after = zoneStateOf({ size, notReady: notReady + 1 }, threshold)
        expect(order.indexOf(after)).toBeGreaterThanOrEqual(order.indexOf(before))
      }),
    )
  })

  it('is never fully disrupted while one counted node is ready', () => {
    fc.assert(
      fc.property(size, (size) => {
        expect(zoneStateOf({ size, notReady: size - 1 }, 0)).not.toBe('FullDisruption')
      }),
    )
  })

  it.each([
    { policy: 'kubernetes', rate: 0.1 },
    { policy: 'slow', rate: 0.01 },
    { policy: 'freeze', rate: 0 },
  ] as const)('wholly down is evicted at $rate under the policy $policy', ({ policy, rate }) => {
    const settings = { ...defaultSettings, fullZonePolicy: policy }
    expect(evictionRate('FullDisruption', 100, settings)).toBe(rate)
  })
})

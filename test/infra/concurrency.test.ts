import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { planConcurrency } from '../../infra/concurrency.ts'

const fleet = {
  fleetSize: 1_000,
  beatSeconds: 10,
  maxWatches: 50,
  ingress: 'function-url',
} as const

describe('runs set aside', () => {
  it.each([
    { when: 'a new account has ten', quota: 10, api: 0, monitor: 0, notifier: 0 },
    { when: 'AWS keeps a hundred back', quota: 102, api: 0, monitor: 0, notifier: 0 },
    { when: 'there is room for the monitor', quota: 110, api: 0, monitor: 3, notifier: 0 },
    { when: 'there is room for the notifier', quota: 250, api: 0, monitor: 3, notifier: 16 },
    { when: 'half of it serves everyone', quota: 400, api: 160, monitor: 3, notifier: 16 },
    { when: 'it is the usual one', quota: 1_000, api: 160, monitor: 3, notifier: 16 },
  ])('$when: api $api, monitor $monitor, notifier $notifier', ({ quota, when, ...plan }) => {
    expect(planConcurrency(quota, fleet)).toEqual(plan)
  })

  it('grow with the fleet, to half of the quota over all api functions', () => {
    const large = { ...fleet, fleetSize: 100_000 }
    expect(planConcurrency(1_000, large).api).toBe(500)
    expect(planConcurrency(1_000, { ...large, ingress: 'http-api' }).api).toBe(250)
    expect(planConcurrency(10_000, large).api).toBe(1_150)
  })

  it('never take what AWS keeps back, and never fewer for the api than its watches', () => {
    const needs = fc.record({
      fleetSize: fc.integer({ min: 1, max: 200_000 }),
      beatSeconds: fc.integer({ min: 1, max: 3_600 }),
      maxWatches: fc.integer({ min: 1, max: 1_000 }),
      ingress: fc.constantFrom('function-url', 'http-api'),
    })
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 20_000 }), needs, (quota, each) => {
        const { api, monitor, notifier } = planConcurrency(quota, each)
        const taken = (each.ingress === 'http-api' ? 2 : 1) * api + monitor + notifier
        expect(taken === 0 || quota - taken >= 100).toBe(true)
        expect(api === 0 || api > each.maxWatches).toBe(true)
      }),
    )
  })
})

import { describe, expect, it } from 'vitest'
import { planFaults } from './nemesis.ts'

const plan = planFaults(7, 60_000, { kills: 10, lost: 20 })
const all = [...plan.processes, ...plan.network]
const count = (kind: RegExp) => all.filter((fault) => kind.test(fault.kind)).length

describe('the faults of a run', () => {
  it('are the same for the same seed and others for another', () => {
    expect(planFaults(7, 60_000, { kills: 10, lost: 20 })).toEqual(plan)
    expect(planFaults(8, 60_000, { kills: 10, lost: 20 })).not.toEqual(plan)
  })

  it('are as many as was asked for, with stops and cuts besides', () => {
    expect(count(/^kill/)).toBe(10)
    expect(count(/answers$/)).toBe(20)
    expect([count(/^stop/), count(/^cut/)]).toEqual([2, 4])
    expect(planFaults(7, 60_000, { kills: 0, lost: 0 })).toEqual({ processes: [], network: [] })
  })

  it('come in order, after the start and well before the end', () => {
    for (const faults of [plan.processes, plan.network]) {
      const times = faults.map(({ atMs }) => atMs)
      expect(times).toEqual(times.toSorted((a, b) => a - b))
      expect(times[0]).toBeGreaterThanOrEqual(1_500)
      expect(times.at(-1)).toBeLessThan(56_000)
    }
  })
})

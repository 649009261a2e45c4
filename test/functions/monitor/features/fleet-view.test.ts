import { describe, expect, it } from 'vitest'
import { SmallFleet } from '../small-fleet.ts'

describe('the summary of the fleet', () => {
  it('keeps a line a minute for an hour', async () => {
    const fleet = new SmallFleet({ settings: { nodeMonitorPeriodMs: 20_000 } })
    await fleet.addNodes(3, ['a'])
    await fleet.run(65 * 60_000, fleet.names)
    const history = (await fleet.fleetStatus())?.history ?? []
    expect(history).toHaveLength(60)
    expect(history.at(-1)?.split(' ').slice(1)).toEqual(['3', '0', '0'])
    const [last, first] = [history.at(-1), history[0]].map((line) => Number(line?.split(' ')[0]))
    expect(last! - first!).toBe(59 * 60)
  })
})

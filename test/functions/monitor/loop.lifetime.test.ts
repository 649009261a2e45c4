import { expect, it } from 'vitest'
import { createMonitor, lambdaLifetimeMs } from '../../../functions/monitor/loop.ts'
import { SmallFleet } from './small-fleet.ts'

const MINUTE_MS = 60_000

it.each([
  { when: 'it ticks every few seconds', periodMs: 5_000, leftMs: 900_000, lives: 13 * MINUTE_MS },
  { when: 'Lambda gives it less time', periodMs: 5_000, leftMs: 300_000, lives: 4 * MINUTE_MS },
  { when: 'it ticks as often as it is started', periodMs: MINUTE_MS, leftMs: 900_000, lives: 0 },
])('a run lives $lives ms when $when', ({ periodMs, leftMs, lives }) => {
  expect(lambdaLifetimeMs(periodMs, leftMs)).toBe(lives)
})

it('a run without a life ticks once', async () => {
  const settings = { nodeMonitorPeriodMs: MINUTE_MS, nodeMonitorGracePeriodMs: 2 * MINUTE_MS }
  const lines: string[] = []
  const emf = { stage: 'prod', write: (line: string) => lines.push(line) }
  const fleet = new SmallFleet({ settings, deps: { emf } })
  await fleet.addNodes(1, ['a'])
  const startedAtMs = fleet.nowMs
  const end = await createMonitor(fleet.deps, { lifetimeMs: 0 }).run(new AbortController().signal)
  expect([end, fleet.nowMs - startedAtMs]).toEqual(['ended', 0])
  expect(lines.map((line) => JSON.parse(line).Ticks)).toEqual([1])
})

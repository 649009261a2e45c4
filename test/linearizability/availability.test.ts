import { expect, it } from 'vitest'
import { median, outages } from './availability.ts'
import type { Entry } from './history.ts'

const call = (
  invokedMs: number,
  returnedMs: number,
  outcome: Entry['outcome'],
  why?: 'busy',
): Entry => ({
  id: 1,
  key: 'k',
  kind: 'lease',
  client: 0,
  invokedUs: invokedMs * 1_000,
  returnedUs: returnedMs * 1_000,
  call: { do: 'read' },
  outcome,
  ...(why && { why }),
})
const kill = { fault: { kind: 'kill server' } as const, startedUs: 1_000_000, endedUs: 1_500_000 }

it('an outage lasts until a call that was made after the kill has its answer', () => {
  const entries = [
    call(900, 1_100, 'ok'),
    call(1_050, 1_200, 'unknown'),
    call(1_300, 1_400, 'refused', 'busy'),
    call(1_600, 1_900, 'ok'),
    call(1_700, 1_800, 'refused'),
  ]
  expect(outages(entries, [kill])).toEqual([
    { kind: 'kill server', startedUs: 1_000_000, restartMs: 500, silentMs: 800 },
  ])
})

it('a kill after which none was answered, and other faults, are no outage', () => {
  const cut = { ...kill, fault: { kind: 'cut connections' } as const }
  expect(outages([call(0, 10, 'ok')], [kill, cut])).toEqual([])
})

it('the median is one of the values', () => {
  expect(median([5, 1, 9])).toBe(5)
  expect(median([])).toBe(0)
})

import { describe, expect, it } from 'vitest'
import { areaPath, samplesOf, samplesUntilNow, windowOf } from '../../../dashboard/state/history.ts'

const MINUTE = 60_000

describe('the last hour', () => {
  it('is read line by line, and what cannot be read is left out', () => {
    expect(samplesOf(['120 9 1 0', 'nonsense', '60 10 0 0', ''])).toEqual([
      { atMs: 60_000, ready: 10, notReady: 0, unknown: 0 },
      { atMs: 120_000, ready: 9, notReady: 1, unknown: 0 },
    ])
  })

  it('ends with what is true now', () => {
    const status = { history: ['60 10 0 0'], ready: 4, notReady: 0, unknown: 6 }
    const fleet = { metadata: { resourceVersion: '90000000' }, status }
    expect(samplesUntilNow(fleet).at(-1)).toEqual({
      atMs: 90_000,
      ready: 4,
      notReady: 0,
      unknown: 6,
    })
  })

  it.each([
    { when: 'the install is young', firstMs: 99 * MINUTE, fromMs: 98 * MINUTE },
    { when: 'it is half an hour old', firstMs: 70 * MINUTE, fromMs: 70 * MINUTE },
    { when: 'it is old', firstMs: 10 * MINUTE, fromMs: 40 * MINUTE },
  ])('begins where there is something to see when $when', ({ firstMs, fromMs }) => {
    const samples = [{ atMs: firstMs, ready: 1, notReady: 0, unknown: 0 }]
    expect(windowOf(samples, 100 * MINUTE).fromMs).toBe(fromMs)
  })

  it('is drawn in steps, each as long as its sample holds', () => {
    const samples = [
      { atMs: 0, ready: 10, notReady: 0, unknown: 0 },
      { atMs: 50, ready: 5, notReady: 0, unknown: 5 },
    ]
    const frame = { width: 100, height: 10, fromMs: 0, toMs: 100 }
    expect(areaPath(samples, frame, ({ unknown }) => [0, unknown])).toBe(
      'M0 10L50 10L50 5L100 5L100 10L50 10L50 10L0 10Z',
    )
  })
})

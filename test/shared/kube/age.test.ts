import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { formatAge } from '../../../shared/kube/age.ts'

const [MINUTE, HOUR, DAY, YEAR] = [60, 3600, 86_400, 365 * 86_400]

describe('formatAge', () => {
  it.each([
    { when: 'two seconds in the future', seconds: -2, age: '<invalid>' },
    { when: 'nearly two seconds in the future', seconds: -1.999, age: '0s' },
    { when: 'just now', seconds: 0, age: '0s' },
    { when: 'a moment before two minutes', seconds: 119.999, age: '119s' },
    { when: 'two minutes', seconds: 2 * MINUTE, age: '2m' },
    { when: 'minutes and seconds', seconds: 2 * MINUTE + 1, age: '2m1s' },
    { when: 'the last second of ten minutes', seconds: 10 * MINUTE - 1, age: '9m59s' },
    { when: 'ten minutes, seconds no more', seconds: 10 * MINUTE + 59, age: '10m' },
    { when: 'the last minute of three hours', seconds: 3 * HOUR - 1, age: '179m' },
    { when: 'three hours', seconds: 3 * HOUR, age: '3h' },
    { when: 'hours and minutes', seconds: 3 * HOUR + 5 * MINUTE, age: '3h5m' },
    { when: 'eight hours, minutes no more', seconds: 8 * HOUR + 59 * MINUTE, age: '8h' },
    { when: 'the last hour of two days', seconds: 2 * DAY - 1, age: '47h' },
    { when: 'two days', seconds: 2 * DAY, age: '2d' },
    { when: 'days and hours', seconds: 7 * DAY + 23 * HOUR, age: '7d23h' },
    { when: 'eight days, hours no more', seconds: 8 * DAY + 23 * HOUR, age: '8d' },
    { when: 'the last day of two years', seconds: 2 * YEAR - 1, age: '729d' },
    { when: 'two years', seconds: 2 * YEAR, age: '2y' },
    { when: 'years and days', seconds: 2 * YEAR + DAY, age: '2y1d' },
    { when: 'eight years, days no more', seconds: 8 * YEAR + 300 * DAY, age: '8y' },
  ])('$when: $age', ({ seconds, age }) => {
    expect(formatAge(0, seconds * 1000)).toBe(age)
  })

  it('does not know the age of what has no time', () => {
    expect(formatAge(undefined, 0)).toBe('<unknown>')
  })

  it('never claims more than the truth, and loses less than an hour in a day', () => {
    const units: Record<string, number> = { s: 1, m: MINUTE, h: HOUR, d: DAY, y: YEAR }
    const read = (age: string) =>
      [...age.matchAll(/(\d+)([smhdy])/g)].reduce(
        (sum, [, n, unit]) => sum + Number(n) * units[unit!]!,
        0,
      )
    fc.assert(
      fc.property(fc.integer({ min: 0, max: DAY }), (seconds) => {
        const claimed = read(formatAge(0, seconds * 1000))
        expect(claimed).toBeLessThanOrEqual(seconds)
        expect(seconds - claimed).toBeLessThan(HOUR)
      }),
    )
  })
})

import { describe, expect, it } from 'vitest'
import { isOver, judged, type Ratio } from '../../bench/bench.ts'

/** A bench of one line that measures these ratios, one after another. */
function measuring(...ratios: readonly number[]) {
  const left = [...ratios]
  const over: number[] = []
  const result = judged(
    async () => [{ name: 'a', ratio: left.shift()!, budget: 1 }],
    (lines) => over.push(...lines.map(({ ratio }) => ratio)),
  )
  return { result, left, over }
}

describe('a bench', () => {
  it.each([
    { when: 'within its budget', ratios: [0.9, 5, 5], ratio: 0.9, isTooMuch: false, left: 2 },
    { when: 'over it once', ratios: [1.2, 0.9, 0.8], ratio: 0.9, isTooMuch: false, left: 0 },
    { when: 'over it twice', ratios: [1.2, 0.9, 1.4], ratio: 1.2, isTooMuch: true, left: 0 },
    { when: 'never ending', ratios: [Infinity, Infinity, 1], ratio: Infinity, isTooMuch: true },
    { when: 'not even a number', ratios: [NaN, NaN, NaN], ratio: NaN, isTooMuch: true, left: 0 },
  ])('$when is judged by $ratio', async ({ ratios, ratio, isTooMuch, left = 0 }) => {
    const run = measuring(...ratios)
    const [line] = await run.result
    expect([line!.ratio, isOver(line!), run.left.length]).toEqual([ratio, isTooMuch, left])
  })

  it('says what was over before it runs again', async () => {
    const run = measuring(1.2, 0.9, 0.8)
    await run.result
    expect(run.over).toEqual([1.2])
  })

  it('has each line judged by the median of its own runs', async () => {
    const line = (name: string, ratio: number): Ratio => ({ name, ratio, budget: 1 })
    const runs = [
      [line('a', 1.2), line('b', 0.2)],
      [line('b', 1.4), line('a', 0.9)],
      [line('a', 0.8), line('b', 1.3)],
    ]
    const result = await judged(
      async () => runs.shift()!,
      () => {},
    )
    expect(result).toEqual([line('a', 0.9), line('b', 1.3)])
  })
})

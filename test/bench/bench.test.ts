import { expect, it } from 'vitest'
import { medianOfRuns } from '../../bench/bench.ts'

it('judges each line by the median of its runs', () => {
  const runs = [
    [
      { name: 'a', ratio: 1.2, budget: 1 },
      { name: 'b', ratio: 0.2, budget: 1 },
    ],
    [
      { name: 'b', ratio: 1.4, budget: 1 },
      { name: 'a', ratio: 0.9, budget: 1 },
    ],
    [
      { name: 'a', ratio: 0.8, budget: 1 },
      { name: 'b', ratio: 1.3, budget: 1 },
    ],
  ]
  expect(medianOfRuns(runs)).toEqual([
    { name: 'a', ratio: 0.9, budget: 1 },
    { name: 'b', ratio: 1.3, budget: 1 },
  ])
})

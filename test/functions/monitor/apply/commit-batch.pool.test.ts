import { expect, it } from 'vitest'
import { inChunks, PARALLEL, runPool } from '../../../../functions/monitor/apply/commit-batch.ts'

it('runs only a few jobs at a time', async () => {
  let running = 0
  let most = 0
  const job = async () => {
    most = Math.max(most, ++running)
    await new Promise((resolve) => setImmediate(resolve))
    running--
  }
  const left = await runPool(
    Array.from({ length: 50 }, () => job),
    { isOver: () => false },
  )
  expect(left).toBe(0)
  expect(most).toBe(PARALLEL)
})

it('starts none when the time is up, and says how many are left', async () => {
  let done = 0
  const job = async () => {
    done += 1
  }
  const jobs = Array.from({ length: 20 }, () => job)
  const left = await runPool(jobs, { isOver: () => done >= 5, parallel: 1 })
  expect([done, left]).toEqual([5, 15])
})

it('cuts a list into pieces', () => {
  expect(inChunks([1, 2, 3, 4, 5], 2)).toEqual([[1, 2], [3, 4], [5]])
  expect(inChunks([], 2)).toEqual([])
})

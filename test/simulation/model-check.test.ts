import { expect, it } from 'vitest'
import { checkModel } from './model-check.ts'

/** The suite goes this far; `npm run model-check` goes to 200,000 and beyond. */
const MAX_STATES = 1_500

it.each([
  { when: 'one zone of one host', sizes: [1] },
  { when: 'one zone of three hosts', sizes: [3] },
  { when: 'two zones of one host', sizes: [1, 1] },
  { when: 'two zones of three hosts', sizes: [3, 3] },
])('$when: no order of events breaks a promise', async ({ sizes }) => {
  const found = await checkModel({ sizes, maxStates: MAX_STATES })
  console.log(`${found.states} distinct states, ${found.ways} ways tried`)
  expect(found.broken).toBeUndefined()
  expect(found.states).toBeGreaterThan(100)
})

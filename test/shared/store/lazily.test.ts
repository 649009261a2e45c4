import { expect, it } from 'vitest'
import { lazily } from '../../../shared/store/lazily.ts'

it('makes a thing once, at its first use, however many ask for it', async () => {
  let made = 0
  const thing = lazily(async () => ({ number: ++made }))
  expect(made).toBe(0)
  const [one, other] = await Promise.all([thing(), thing()])
  expect(one).toBe(other)
  expect(await thing()).toEqual({ number: 1 })
})

it('tells a failure to all who wait for it, and tries again for the next', async () => {
  let tries = 0
  const thing = lazily(async () => {
    tries += 1
    if (tries === 1) throw new Error('not yet')
    return 'made'
  })
  const waiting = await Promise.allSettled([thing(), thing()])
  expect(waiting.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  expect(await thing()).toBe('made')
  expect(tries).toBe(2)
})

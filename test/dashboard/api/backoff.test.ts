import { getEventListeners } from 'node:events'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { backoffMs, sleepOrEvent } from '../../../dashboard/api/backoff.ts'

it('waits between a quarter of a second and fifteen, and never less after more failures', () => {
  const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true })
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 2_000 }), random, (failures, chance) => {
      const ms = backoffMs(failures, chance)
      expect(ms).toBeGreaterThanOrEqual(250)
      expect(ms).toBeLessThanOrEqual(15_000)
      expect(backoffMs(failures + 1, chance)).toBeGreaterThanOrEqual(ms)
    }),
  )
})

function startSleep(ms: number) {
  const ending = new AbortController()
  const target = new EventTarget()
  const sleeping = sleepOrEvent(ms, ending.signal, { target, event: 'changed' })
  const left = () => [
    ...getEventListeners(ending.signal, 'abort'),
    ...getEventListeners(target, 'changed'),
  ]
  return { ending, target, sleeping, left }
}

const LONG_MS = 1_000_000

describe('a sleep', () => {
  it.each([
    { when: 'its time is over', ms: 1, act: () => {} },
    {
      when: 'something has changed',
      ms: LONG_MS,
      act: ({ target }: ReturnType<typeof startSleep>) =>
        target.dispatchEvent(new Event('changed')),
    },
    {
      when: 'the page is left',
      ms: LONG_MS,
      act: ({ ending }: ReturnType<typeof startSleep>) => ending.abort(),
    },
  ])('ends when $when, and leaves no listener behind', async ({ ms, act }) => {
    const made = startSleep(ms)
    act(made)
    await made.sleeping
    expect(made.left()).toEqual([])
  })

  it('does not begin when the page was left before', async () => {
    await sleepOrEvent(LONG_MS, AbortSignal.abort(), {
      target: new EventTarget(),
      event: 'changed',
    })
  })
})

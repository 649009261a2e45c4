import { getEventListeners } from 'node:events'
import { describe, expect, it } from 'vitest'
import { rest } from '../../../dashboard/page/rest.ts'

function scene(ms: number) {
  const ending = new AbortController()
  const target = new EventTarget()
  const resting = rest(ms, ending.signal, { target, word: 'changed' })
  const left = () => [
    ...getEventListeners(ending.signal, 'abort'),
    ...getEventListeners(target, 'changed'),
  ]
  return { ending, target, resting, left }
}

const LONG_MS = 1_000_000

describe('a rest', () => {
  it.each([
    { when: 'its time is over', ms: 1, act: () => {} },
    {
      when: 'something has changed',
      ms: LONG_MS,
      act: ({ target }: ReturnType<typeof scene>) => target.dispatchEvent(new Event('changed')),
    },
    {
      when: 'the page is left',
      ms: LONG_MS,
      act: ({ ending }: ReturnType<typeof scene>) => ending.abort(),
    },
  ])('ends when $when, and nobody listens any more', async ({ ms, act }) => {
    const made = scene(ms)
    act(made)
    await made.resting
    expect(made.left()).toEqual([])
  })

  it('does not begin when the page was left before', async () => {
    await rest(LONG_MS, AbortSignal.abort(), { target: new EventTarget(), word: 'changed' })
  })
})

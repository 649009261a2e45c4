import { describe, expect, it } from 'vitest'
import { fairQueue } from '../../../../functions/api/request/fair-queue.ts'
import { idle } from '../../../virtual-time.ts'

/** Reads that end when told, in the order in which they began. */
function reads() {
  const queue = fairQueue()
  const begun: { readonly user: string; readonly end: () => void }[] = []
  const ask = (user: string) =>
    queue.run(user, () => new Promise<void>((resolve) => begun.push({ user, end: resolve })))
  return { queue, begun, ask, users: () => begun.map(({ user }) => user) }
}

describe('reads that wait for their turn', () => {
  it('are eight at once, four of one identity', async () => {
    const { ask, users } = reads()
    for (let at = 0; at < 10; at++) void ask('a')
    expect(users()).toEqual(Array(4).fill('a'))
    for (let at = 0; at < 10; at++) void ask('b')
    expect(users()).toEqual([...Array(4).fill('a'), ...Array(4).fill('b')])
    void ask('c')
    expect(users()).not.toContain('c')
  })

  it('take turns: who came late waits for one read and not for all that came before', async () => {
    const { ask, begun, users } = reads()
    for (let at = 0; at < 50; at++) void ask('a')
    for (let at = 0; at < 50; at++) void ask('b')
    void ask('c')
    begun[0]!.end()
    await idle()
    begun[1]!.end()
    await idle()
    begun[2]!.end()
    await idle()
    expect(users().slice(8)).toContain('c')
  })

  it('are 429 when a hundred of the same identity wait, and no others', async () => {
    const { ask, queue, begun } = reads()
    for (let at = 0; at < 104; at++) void ask('a')
    await expect(ask('a')).rejects.toMatchObject({ code: 429 })
    expect(await queue.run('b', async () => 'read')).toBe('read')
    for (let at = 0; at < 104; at++) {
      begun[at]!.end()
      await idle()
    }
    expect(begun).toHaveLength(104)
  })

  it('make room when they fail, too', async () => {
    const { queue } = reads()
    const failed = Array.from({ length: 20 }, () =>
      queue.run('a', async () => {
        throw new Error('throttled')
      }),
    )
    expect((await Promise.allSettled(failed)).map(({ status }) => status)).not.toContain(
      'fulfilled',
    )
    expect(await queue.run('a', async () => 'read')).toBe('read')
  })
})

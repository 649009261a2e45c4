import { expect, it } from 'vitest'
import type { Delta } from '../../../../functions/api/watch/change-source.ts'
import { watchBuffer } from '../../../../functions/api/watch/watch-buffer.ts'

const delta = (version: number): Delta => ({
  key: { namespace: '', name: 'a' },
  uid: 'u',
  version,
  deleted: false,
  labels: {},
  fields: {},
  createdVersion: 1,
})

it('hands over what was heard since, with the latest poll', async () => {
  const buffer = watchBuffer()
  buffer.receive({ deltas: [delta(1)], polledVersion: 10 })
  buffer.receive({ deltas: [delta(2)], polledVersion: 20 })
  expect(await buffer.take()).toEqual({
    deltas: [delta(1), delta(2)],
    polledVersion: 20,
    ended: false,
  })
})

it('ends when it is full, and does not claim the poll that it dropped', async () => {
  const buffer = watchBuffer(2)
  buffer.receive({ deltas: [delta(1), delta(2)], polledVersion: 10 })
  buffer.receive({ deltas: [delta(3)], polledVersion: 20 })
  buffer.receive({ deltas: [delta(4)], polledVersion: 30 })
  expect(await buffer.take()).toEqual({
    deltas: [delta(1), delta(2)],
    polledVersion: 10,
    ended: true,
  })
})

it('takes one poll of any size from a client that keeps up', async () => {
  const buffer = watchBuffer(1)
  buffer.receive({ deltas: [delta(1), delta(2)], polledVersion: 10 })
  expect((await buffer.take()).ended).toBe(false)
})

it('throws a failure at whoever waits', async () => {
  const buffer = watchBuffer()
  const waiting = buffer.take()
  buffer.fail(new Error('down'))
  await expect(waiting).rejects.toThrow('down')
})

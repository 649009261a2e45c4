import { expect, it } from 'vitest'
import type { Delta } from '../../../../functions/api/watch/delta.ts'
import { inbox } from '../../../../functions/api/watch/inbox.ts'

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
  const mail = inbox()
  mail.hear({ deltas: [delta(1)], polledVersion: 10 })
  mail.hear({ deltas: [delta(2)], polledVersion: 20 })
  expect(await mail.take()).toEqual({
    deltas: [delta(1), delta(2)],
    polledVersion: 20,
    ended: false,
  })
})

it('ends when it is full, and does not claim the poll that it dropped', async () => {
  const mail = inbox(2)
  mail.hear({ deltas: [delta(1), delta(2)], polledVersion: 10 })
  mail.hear({ deltas: [delta(3)], polledVersion: 20 })
  mail.hear({ deltas: [delta(4)], polledVersion: 30 })
  expect(await mail.take()).toEqual({
    deltas: [delta(1), delta(2)],
    polledVersion: 10,
    ended: true,
  })
})

it('takes one poll of any size from a client that keeps up', async () => {
  const mail = inbox(1)
  mail.hear({ deltas: [delta(1), delta(2)], polledVersion: 10 })
  expect((await mail.take()).ended).toBe(false)
})

it('throws a failure at whoever waits', async () => {
  const mail = inbox()
  const waiting = mail.take()
  mail.fail(new Error('down'))
  await expect(waiting).rejects.toThrow('down')
})

import { expect, it } from 'vitest'
import { LEASES, lease, START_MS, world } from '../world.ts'

const PATH = `${LEASES}/lock`

it.each([
  { when: 'at once', laterMs: 0 },
  { when: 'in the last second of the duration', laterMs: 14_900 },
  { when: 'in the second that is added to it', laterMs: 15_999 },
])('whoever wants it $when is told when it can be had', async ({ laterMs }) => {
  const place = world()
  const spec = { holderIdentity: 'first', leaseDurationSeconds: 15 }
  await place.call('POST', LEASES, { body: lease('lock', spec) })
  const take = () =>
    place.call('PATCH', PATH, { body: { spec: { ...spec, holderIdentity: 'second' } } })

  place.advance(laterMs)
  const { status, body } = await take()
  expect(status).toBe(409)
  const [, until = ''] = /held by "first" until (\S+);/.exec(body.message) ?? []

  const untilMs = Date.parse(until)
  expect(untilMs).toBeGreaterThan(place.clock())
  place.advance(untilMs - place.clock())
  expect((await take()).status).toBe(200)
  expect(place.clock() - START_MS).toBeLessThan(17_000)
})

import { describe, expect, it } from 'vitest'
import { type Call, LEASES, lease, START_MS, type World, world } from '../world.ts'

const PATH = `${LEASES}/lock`

it.each([
  { when: 'at once', laterMs: 0 },
  { when: 'in the last second of the duration', laterMs: 14_900 },
  { when: 'in the last moment of the duration', laterMs: 14_999 },
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

describe('a write that comes in the second that is added to the duration', () => {
  const held = { holderIdentity: 'first', leaseDurationSeconds: 15 }
  const wanted = { body: { spec: { ...held, holderIdentity: 'second' } } }

  async function takeAt(laterMs: number, during?: (place: World) => Promise<unknown>) {
    const waits: number[] = []
    const place: World = world({
      async wait(ms) {
        waits.push(ms)
        await during?.(place)
        place.advance(ms)
      },
    })
    await place.call('POST', LEASES, { body: lease('lock', held) })
    place.advance(laterMs)
    const take = (call: Call, query = '') => place.call('PATCH', `${PATH}${query}`, call)
    return { place, waits, take }
  }

  it.each([
    { laterMs: 15_000, waitMs: 1_005 },
    { laterMs: 15_999, waitMs: 6 },
    { laterMs: 16_000, waitMs: 5 },
  ])('after $laterMs ms waits $waitMs ms and gets the lease', async ({ laterMs, waitMs }) => {
    const { waits, take } = await takeAt(laterMs)
    const { status, body } = await take(wanted)
    expect([status, body.spec.holderIdentity]).toEqual([200, 'second'])
    expect(waits).toEqual([waitMs])
  })

  it('is refused, without a second wait, when the holder renews meanwhile', async () => {
    const renewTime = '2026-01-02T03:04:06.000000Z'
    const renew = (place: World) => place.call('PATCH', PATH, { body: { spec: { renewTime } } })
    const { waits, take } = await takeAt(15_500, renew)
    expect((await take(wanted)).status).toBe(409)
    expect(waits).toHaveLength(1)
  })

  it('does not wait for a dry run, nor before the duration is over', async () => {
    const { waits, take } = await takeAt(15_500)
    expect((await take(wanted, '?dryRun=All')).status).toBe(409)
    const early = await takeAt(14_999)
    expect((await early.take(wanted)).status).toBe(409)
    expect([...waits, ...early.waits]).toEqual([])
  })
})

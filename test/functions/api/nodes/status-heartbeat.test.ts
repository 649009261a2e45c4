import { describe, expect, it } from 'vitest'
import { NODES, START_MS, type World, world } from '../world.ts'

const first = '2026-01-02T03:00:00Z'
const later = '2026-01-02T03:00:10Z'
const earlier = '2026-01-01T00:00:00Z'
const report = (lastHeartbeatTime?: string, status = 'True', type = 'Ready') => ({
  status: { conditions: [{ type, status, ...(lastHeartbeatTime && { lastHeartbeatTime }) }] },
})
const received = async ({ store }: World) =>
  (await store.objects.get('nodes', { namespace: '', name: 'a' }))?.receivedAtMs

async function registered(body: object = report(first)) {
  const place = world()
  await place.call('POST', NODES, { body: { metadata: { name: 'a' }, ...body } })
  place.advance(1_000)
  return place
}

describe('a status write', () => {
  it('of a registration that says whether the host is ready is a beat', async () => {
    expect(await received(await registered())).toBe(START_MS)
    expect(await received(await registered(report()))).toBe(START_MS)
    expect(await received(await registered(report(first, 'True', 'Disk')))).toBeUndefined()
  })

  it.each([
    { when: 'its heartbeat is later', path: '/status', body: report(later), isBeat: true },
    { when: 'its heartbeat is earlier', path: '/status', body: report(earlier), isBeat: true },
    { when: 'its heartbeat is the same', path: '/status', body: report(first), isBeat: false },
    {
      when: 'only its verdict changes',
      path: '/status',
      body: report(first, 'False'),
      isBeat: false,
    },
    {
      when: 'another condition reports',
      path: '/status',
      body: report(later, 'True', 'Disk'),
      isBeat: false,
    },
    {
      when: 'only a label changes',
      path: '',
      body: { metadata: { labels: { a: 'b' } } },
      isBeat: false,
    },
    { when: 'it goes to the main path', path: '', body: report(later), isBeat: false },
  ])('when $when, is a beat: $isBeat', async ({ path, body, isBeat }) => {
    const place = await registered()
    const type = 'application/strategic-merge-patch+json'
    const reply = await place.call('PATCH', `${NODES}/a${path}`, { body, type })
    expect(reply.status).toBe(200)
    expect(await received(place)).toBe(isBeat ? START_MS + 1_000 : START_MS)
  })

  it('is stamped by the clock of the memory when ours is far off', async () => {
    const { store } = world()
    const place = world({ store: { ...store, skewMs: () => 5_000 } })
    await place.call('POST', NODES, { body: { metadata: { name: 'a' }, ...report(first) } })
    expect(await received(place)).toBe(START_MS - 5_000)
  })
})

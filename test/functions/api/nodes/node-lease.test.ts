import { describe, expect, it } from 'vitest'
import { LEASES, lease, NODES, node, START_MS, type World, world } from '../world.ts'

const BEAT_MS = START_MS + 240_000

/** A host that reported its status long ago and has beaten by its lease since. */
async function beating(more: object = {}): Promise<World> {
  const place = world()
  const conditions = [{ type: 'Ready', status: 'True' }]
  await place.call('POST', NODES, { body: { ...node('a'), status: { conditions } } })
  place.advance(BEAT_MS - START_MS)
  const { metadata, ...rest } = lease('a', { holderIdentity: 'a' })
  await place.call('POST', LEASES, { body: { ...rest, metadata: { ...metadata, ...more } } })
  place.advance(3_000)
  return place
}

const received = async ({ store }: World) =>
  (await store.objects.get('nodes', { namespace: '', name: 'a' }))?.receivedAtMs

describe('the last beat of a host', () => {
  it.each([
    { when: 'the lease names no owner', ownerReferences: [], kept: true },
    {
      when: 'the lease is of an earlier node',
      ownerReferences: [{ apiVersion: 'v1', kind: 'Node', name: 'a', uid: 'earlier' }],
      kept: false,
    },
  ])('outlives its lease: $kept, when $when', async ({ ownerReferences, kept }) => {
    const place = await beating({ ownerReferences })
    expect((await place.call('DELETE', `${LEASES}/a`)).status).toBe(200)
    expect((await place.call('GET', `${LEASES}/a`)).status).toBe(404)
    expect(await received(place)).toBe(kept ? BEAT_MS : START_MS)
  })

  it('is not overwritten by an older one', async () => {
    const place = await beating()
    const status = { conditions: [{ type: 'Ready', status: 'True', lastHeartbeatTime: LATER }] }
    const type = 'application/strategic-merge-patch+json'
    await place.call('PATCH', `${NODES}/a/status`, { body: { status }, type })
    await place.call('DELETE', `${LEASES}/a`)
    expect(await received(place)).toBe(BEAT_MS + 3_000)
  })

  it('needs no node', async () => {
    const place = world()
    await place.call('POST', LEASES, { body: lease('b', { holderIdentity: 'b' }) })
    expect((await place.call('DELETE', `${LEASES}/b`)).status).toBe(200)
  })
})

const LATER = '2026-01-02T03:10:00Z'

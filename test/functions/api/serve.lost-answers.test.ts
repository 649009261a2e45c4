/** The api hands on a 504 of its store as it is, and does not do again what may have been done. */
import { describe, expect, it } from 'vitest'
import { memoryStore } from '../../../shared/store/memory/store.ts'
import { type LosingStore, losingStore } from '../../store-doubles/losing-store.ts'
import { LEASES, NODES, node, START_MS, type World, world } from './world.ts'

const LEASE = `${LEASES}/lock`
const lease = {
  apiVersion: 'coordination.k8s.io/v1',
  kind: 'Lease',
  metadata: { name: 'lock' },
  spec: {
    holderIdentity: 'me',
    leaseDurationSeconds: 15,
    renewTime: '2026-01-01T00:00:00.000000Z',
  },
}
const renewTime = '2026-01-01T00:00:05.000000Z'

async function stage(): Promise<World & { readonly losing: LosingStore }> {
  const losing = losingStore(memoryStore({ clock: () => START_MS }))
  const place = world({ store: losing.store })
  await place.call('POST', NODES, { body: node('a') })
  await place.call('POST', LEASES, { body: lease })
  return { ...place, losing }
}

const read = async (place: World, path: string) => (await place.call('GET', path)).body

describe('a write whose answer the store has lost', () => {
  it.each([
    { what: 'a create', method: 'POST', path: NODES, body: () => node('b') },
    {
      what: 'a create with a generated name',
      method: 'POST',
      path: NODES,
      body: () => ({ ...node('b'), metadata: { generateName: 'b-' } }),
    },
    {
      what: 'an update',
      method: 'PUT',
      path: `${NODES}/a`,
      body: async (place: World) => ({
        ...(await read(place, `${NODES}/a`)),
        spec: { unschedulable: true },
      }),
    },
    {
      what: 'a patch',
      method: 'PATCH',
      path: `${NODES}/a`,
      body: () => ({ spec: { unschedulable: true } }),
    },
    { what: 'a delete', method: 'DELETE', path: `${NODES}/a`, body: () => undefined },
    { what: 'a renewal', method: 'PATCH', path: LEASE, body: () => ({ spec: { renewTime } }) },
    {
      what: 'a renewal by PUT',
      method: 'PUT',
      path: LEASE,
      body: async (place: World) => {
        const found = await read(place, LEASE)
        return { ...found, spec: { ...found.spec, renewTime } }
      },
    },
    {
      what: 'a release',
      method: 'PATCH',
      path: LEASE,
      body: () => ({ spec: { holderIdentity: '' } }),
    },
    { what: 'a delete of a lease', method: 'DELETE', path: LEASE, body: () => undefined },
  ])('is a 504, and is not repeated: $what', async ({ method, path, body }) => {
    for (const loss of ['lost', 'unsent'] as const) {
      const place = await stage()
      const sent = await body(place)
      const before = place.losing.applied()
      place.losing.lose(loss, async () => {})
      const reply = await place.call(method, path, { body: sent })
      expect(reply.status, reply.text).toBe(504)
      expect(reply.body).toMatchObject({ kind: 'Status', reason: 'Timeout', code: 504 })
      expect(reply.body.message).toContain('may have happened')
      // Client libraries repeat what has one.
      expect(reply.headers.get('retry-after')).toBeNull()
      expect(place.losing.applied() - before).toBe(loss === 'lost' ? 1 : 0)
    }
  })
})

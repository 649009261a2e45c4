import { describe, expect, it } from 'vitest'
import { created, held, hostKey, lease, lockKey, type MakeRig, time } from './rig.ts'

/** The hot path, whichever way its request travels. */
export function renewalBehaviour(make: MakeRig): void {
  describe('a renewal', () => {
    it('moves the times and the version and stamps the beat, and nothing else', async () => {
      const { store, clock } = await make()
      const before = await created(store, lease(hostKey, held('host-1')))
      clock.advance(10_000)
      const spec = { ...held('host-1', 1), leaseTransitions: 9 }
      const outcome = await store.leases.renew({ key: hostKey, spec, version: before.version })
      if (outcome.kind !== 'renewed') throw new Error(outcome.kind)
      expect(outcome.lease.version).toBeGreaterThan(before.version)
      expect(outcome.lease).toMatchObject({ uid: before.uid, receivedAtMs: clock() })
      expect(outcome.lease.object.spec).toEqual(held('host-1', 1))
      expect(await store.leases.get(hostKey)).toEqual(outcome.lease)
    })

    it('by PUT replaces the rest of the object', async () => {
      const { store } = await make()
      const before = await created(store, lease(hostKey, held('host-1')))
      const object = {
        ...before.object,
        metadata: { ...before.object.metadata, labels: { zone: 'b' }, creationTimestamp: 'theirs' },
      }
      const spec = { holderIdentity: 'host-1', renewTime: time(1) }
      const outcome = await store.leases.renew({ key: hostKey, spec, object })
      if (outcome.kind !== 'renewed') throw new Error(outcome.kind)
      expect(outcome.lease.object).toMatchObject({
        metadata: { labels: { zone: 'b' }, creationTimestamp: '2026-01-01T00:00:00Z' },
      })
      expect(outcome.lease.object.spec).toEqual(spec)
      expect(outcome.lease.expiresAtMs).toBeUndefined()
    })

    it('by patch keeps what it does not name', async () => {
      const { store } = await make()
      await created(store, lease(hostKey, held('host-1')))
      const outcome = await store.leases.renew({ key: hostKey, spec: { renewTime: time(1) } })
      if (outcome.kind !== 'renewed') throw new Error(outcome.kind)
      expect(outcome.lease.object.spec).toEqual(held('host-1', 1))
    })

    it('counts when renewTime goes back', async () => {
      const { store } = await make()
      await created(store, lease(hostKey, held('host-1', 5)))
      const outcome = await store.leases.renew({ key: hostKey, spec: held('host-1', 4) })
      expect(outcome.kind).toBe('renewed')
    })

    it.each([
      { when: 'renewTime is the same', renewal: { spec: held('host-1') } },
      { when: 'another asks', renewal: { spec: held('host-2', 1) } },
      { when: 'the version is stale', renewal: { spec: held('host-1', 1), version: 1 } },
      { when: 'the uid is another', renewal: { spec: held('host-1', 1), uid: 'gone' } },
      { when: 'the holder lets go', renewal: { spec: { ...held('', 1) } } },
      { when: 'no renewTime is sent', renewal: { spec: { holderIdentity: 'host-1' } } },
    ])('is declined with what is there when $when', async ({ renewal }) => {
      const { store } = await make()
      const found = await created(store, lease(hostKey, held('host-1')))
      const outcome = await store.leases.renew({ key: hostKey, ...renewal })
      expect(outcome).toEqual({ kind: 'notRenewal', found })
      expect(await store.leases.get(hostKey)).toEqual(found)
    })

    it('is declined while the lease is being deleted or has no holder', async () => {
      const { store } = await make()
      const wanted = lease(hostKey, held('host-1'))
      const deletionTimestamp = '2026-01-01T00:00:00Z'
      await created(store, { ...wanted, metadata: { ...wanted.metadata, deletionTimestamp } })
      await created(store, lease(lockKey, {}))
      const doomed = await store.leases.renew({ key: hostKey, spec: held('host-1', 1) })
      const empty = await store.leases.renew({ key: lockKey, spec: { renewTime: time(1) } })
      expect([doomed.kind, empty.kind]).toEqual(['notRenewal', 'notRenewal'])
    })

    it('of a lease that is not there is missing, whatever was there before', async () => {
      const { store } = await make()
      const renewal = { key: lockKey, spec: held('a', 1) }
      expect(await store.leases.renew(renewal)).toEqual({ kind: 'missing' })
      await store.leases.remove(await created(store, lease(lockKey, held('a'))))
      expect(await store.leases.renew(renewal)).toEqual({ kind: 'missing' })
      expect(await store.leases.renew({ key: lockKey, spec: {} })).toEqual({ kind: 'missing' })
    })

    it('by a token of another Node is foreign, and of a lease without owner none at all', async () => {
      const { store } = await make()
      const wanted = lease(hostKey, held('host-1'))
      const owner = { apiVersion: 'v1', kind: 'Node', name: 'host-1', uid: 'node-1' }
      const bare = await created(store, wanted)
      const object = {
        ...bare.object,
        metadata: { ...bare.object.metadata, ownerReferences: [owner] },
      }
      const spec = held('host-1', 1)
      const bareRenewal = { key: hostKey, spec, ownerUid: 'node-1' }
      expect((await store.leases.renew(bareRenewal)).kind).toBe('notRenewal')
      expect((await store.leases.renew({ ...bareRenewal, object })).kind).toBe('notRenewal')
      expect((await store.leases.replace(object, bare)).kind).toBe('replaced')
      const next = { key: hostKey, spec: held('host-1', 2) }
      const theirs = await store.leases.renew({ ...next, ownerUid: 'node-2' })
      expect(theirs.kind).toBe('foreignOwner')
      const again = await store.leases.renew({ ...next, ownerUid: 'node-1' })
      expect(again.kind).toBe('renewed')
    })

    it('without a version goes on from one that is ahead of its own clock', async () => {
      const { store, clock } = await make()
      clock.advance(1_500)
      const ahead = await created(store, lease(hostKey, held('host-1')))
      clock.advance(-1_500)
      const outcome = await store.leases.renew({ key: hostKey, spec: held('host-1', 1) })
      if (outcome.kind !== 'renewed') throw new Error(outcome.kind)
      expect(outcome.lease.version).toBe(ahead.version + 1)
    })
  })
}

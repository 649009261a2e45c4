import { describe, expect, it } from 'vitest'
import type { Beat } from '../../shared/lifecycle/world.ts'
import type { StoredLease } from '../../shared/store/ports.ts'
import { created, held, hostKey, lease, lockKey, type MakeRig, time, withSpec } from './rig.ts'

export function leaseBehaviour(make: MakeRig): void {
  describe('a lease', () => {
    it('comes back as it was stored', async () => {
      const { store, clock } = await make()
      const wanted = {
        ...lease(hostKey, { ...held('host-1'), strategy: '' }),
      }
      const labelled = {
        ...wanted,
        metadata: {
          ...wanted.metadata,
          labels: { zone: 'a' },
          annotations: { 'a/b': 'ü' },
          ownerReferences: [{ apiVersion: 'v1', kind: 'Node', name: 'host-1', uid: 'node-uid' }],
          finalizers: ['x/y'],
        },
      }
      const stored = await created(store, labelled)
      expect(stored.object).toEqual({
        ...labelled,
        metadata: { ...labelled.metadata, resourceVersion: String(stored.version) },
      })
      expect(stored).toMatchObject({
        key: hostKey,
        uid: wanted.metadata.uid,
        receivedAtMs: clock(),
        expiresAtMs: clock() + 15_000,
        inbox: 0,
      })
      expect(await store.leases.get(hostKey)).toEqual(stored)
      expect(await store.leases.read([hostKey, lockKey])).toEqual([stored])
    })

    it('keeps an empty holder apart from none', async () => {
      const { store } = await make()
      const empty = await created(store, lease(lockKey, { holderIdentity: '' }))
      const none = await created(store, lease(hostKey, {}))
      expect(empty.object.spec).toEqual({ holderIdentity: '' })
      expect(none.object.spec).toEqual({})
      expect(none.receivedAtMs).toBeUndefined()
      expect(none.expiresAtMs).toBeUndefined()
    })

    it('is created once, and the second is told what is there', async () => {
      const { store, other } = await make()
      const first = await created(store, lease(lockKey, held('a')))
      const second = await other.leases.create(lease(lockKey, held('b')))
      expect(second).toEqual({ kind: 'outrun', found: first })
    })

    it('that is over the limit is refused before it is written', async () => {
      const { store } = await make()
      const holderIdentity = 'x'.repeat(360 * 1024)
      await expect(store.leases.create(lease(lockKey, { holderIdentity }))).rejects.toMatchObject({
        code: 413,
      })
      expect(await store.leases.get(lockKey)).toBeUndefined()
    })
  })

  describe('the holder rule', () => {
    it('keeps a lease for its holder until a second after its time', async () => {
      const { store, clock } = await make()
      const found = await created(store, lease(lockKey, held('a')))
      clock.advance(16_000)
      const early = await store.leases.replace(withSpec(found, { holderIdentity: 'b' }), found)
      expect(early).toEqual({ kind: 'held', found })
      clock.advance(1)
      const late = await store.leases.replace(withSpec(found, { holderIdentity: 'b' }), found)
      if (late.kind !== 'replaced') throw new Error(late.kind)
      expect(late.now.object.spec).toMatchObject({ holderIdentity: 'b', leaseTransitions: 1 })
      expect(late.now.receivedAtMs).toBe(clock())
    })

    it('lets any writer change the holder where it is unchecked, and counts on', async () => {
      const { store } = await make()
      const found = await created(store, lease(lockKey, { ...held('a'), leaseTransitions: 4 }))
      const wanted = withSpec(found, { holderIdentity: 'b', leaseTransitions: 0 })
      const outcome = await store.leases.replace(wanted, found, 'unchecked')
      if (outcome.kind !== 'replaced') throw new Error(outcome.kind)
      expect(outcome.now.object.spec).toMatchObject({ holderIdentity: 'b', leaseTransitions: 5 })
    })

    it('counts on over release and deletion, whatever the client sends', async () => {
      const { store } = await make()
      const first = await created(store, lease(lockKey, { ...held('a'), leaseTransitions: 4 }))
      const free = await replaced(store, first, { holderIdentity: '', leaseTransitions: 0 })
      const second = await replaced(store, free, { holderIdentity: 'b', leaseTransitions: 0 })
      expect([free, second].map(transitions)).toEqual([4, 5])
      await store.leases.remove(second)
      expect(await store.leases.get(lockKey)).toBeUndefined()
      const third = await created(store, lease(lockKey, { ...held('a'), leaseTransitions: 0 }))
      expect(transitions(third)).toBe(6)
    })

    it('lets a host begin anew after its node lease was deleted', async () => {
      const { store } = await make()
      await store.leases.remove(await created(store, lease(hostKey, held('host-1'))))
      const again = await created(store, lease(hostKey, held('host-1')))
      expect(transitions(again)).toBeUndefined()
    })

    it('does not take a label for a beat', async () => {
      const { store, clock } = await make()
      const found = await created(store, lease(lockKey, held('a')))
      clock.advance(5_000)
      const metadata = { ...found.object.metadata, labels: { zone: 'b' } }
      const outcome = await store.leases.replace({ ...found.object, metadata }, found)
      if (outcome.kind !== 'replaced') throw new Error(outcome.kind)
      expect(outcome.now.receivedAtMs).toBe(found.receivedAtMs)
      expect(outcome.now.object.metadata.labels).toEqual({ zone: 'b' })
    })

    it('announces who took a lease, and a release not', async () => {
      const { store, clock } = await make()
      const first = await created(store, lease(lockKey, held('a')))
      await created(store, lease(hostKey, held('host-1')))
      const [news, ...more] = await store.records.list('lease-taken/')
      expect(more).toEqual([])
      const { uid } = first
      expect(news?.value).toEqual({
        ...lockKey,
        uid,
        version: first.version,
        from: '',
        to: 'a',
        takenAtMs: clock(),
      })
      const free = await replaced(store, first, { holderIdentity: '' })
      expect(await store.records.list('lease-taken/')).toEqual([news])
      const second = await replaced(store, free, { holderIdentity: 'b' })
      const [later] = await store.records.list('lease-taken/')
      expect(later?.value).toMatchObject({ to: 'b', version: second.version })
    })
  })

  describe('a write that was outrun', () => {
    it('changes nothing and is told what is there', async () => {
      const { store, other } = await make()
      const old = await created(store, lease(lockKey, held('a')))
      const now = await replaced(other, old, { renewTime: time(1) })
      const late = await store.leases.replace(withSpec(old, { renewTime: time(2) }), old)
      expect(late).toEqual({ kind: 'outrun', found: now })
      const taken = await store.leases.replace(withSpec(old, { holderIdentity: 'b' }), old)
      expect(taken).toEqual({ kind: 'outrun', found: now })
      expect(await store.leases.remove(old)).toEqual({ kind: 'outrun', found: now })
      await store.leases.remove(now)
      expect(await store.leases.remove(now)).toEqual({ kind: 'outrun' })
      expect(await store.leases.replace(now.object, now)).toEqual({ kind: 'outrun' })
    })
  })

  describe('a sweep', () => {
    it('sees every lease once, in one namespace or all, and no tombstones', async () => {
      const { store } = await make()
      const names = Array.from({ length: 30 }, (_, at) => `host-${at}`)
      for (const name of names)
        await created(store, lease({ ...hostKey, name }, { ...held(name), leaseTransitions: 0 }))
      const lock = await created(store, lease(lockKey, held('a')))
      await store.leases.remove(
        await created(store, lease({ ...lockKey, name: 'gone' }, held('a'))),
      )
      await store.commit([{ do: 'raiseInbox', nodeName: 'not-yet' }])

      expect((await all(store.leases.scan())).length).toBe(31)
      expect(await all(store.leases.scan({ namespaces: ['default'] }))).toEqual([lock])
      const few = { namespaces: ['default', 'shop', 'def'], consistent: true } as const
      expect(await all(store.leases.scan(few))).toEqual([lock])
      const beats = await all<Beat>(store.leases.beats())
      expect(beats.map(({ name }) => name).sort()).toEqual([...names].sort())
      expect(beats[0]).toMatchObject({ holderIdentity: beats[0]!.name })
    })
  })
}

async function replaced(
  store: Parameters<typeof created>[0],
  found: StoredLease,
  spec: Parameters<typeof withSpec>[1],
): Promise<StoredLease> {
  const outcome = await store.leases.replace(withSpec(found, spec), found)
  if (outcome.kind !== 'replaced') throw new Error(`expected replaced, got ${outcome.kind}`)
  return outcome.now
}

const transitions = (stored: StoredLease) => stored.object.spec?.leaseTransitions

export async function all<T>(pages: AsyncIterable<readonly T[]>): Promise<T[]> {
  const found: T[] = []
  for await (const page of pages) found.push(...page)
  return found
}

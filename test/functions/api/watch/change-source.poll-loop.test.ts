/** What does a watch cost? The figures in docs/operations.md come from these counts. */
import { describe, expect, it } from 'vitest'
import type { Lease } from '../../../../shared/kube/objects.ts'
import { countingStore, storeCalls } from '../../../store-doubles/counting-store.ts'
import { thing, watchWorld } from './watch-world.ts'

const HOUR_MS = 3_600_000
const LEASES = '/apis/coordination.k8s.io/v1'

function counted() {
  const calls = storeCalls()
  // One long watch, so that nothing of its beginning is in the count.
  const settings = { minTimeoutMs: 3 * HOUR_MS, relistMs: Number.POSITIVE_INFINITY }
  const w = watchWorld({ wrap: (store) => countingStore(store, calls), settings })
  const during = async (ms: number) => {
    calls.clear()
    await w.time.advance(ms)
    return calls.counts()
  }
  return { w, calls, during }
}

describe('reads', () => {
  it('of 200 watches are those of one', async () => {
    const { w, calls, during } = counted()
    for (let names = 0; names < 50; names += 1) await w.put('nodes', thing('nodes', `n${names}`))
    const write = async () => {
      for (const name of ['n1', 'n2', 'n3']) await w.put('nodes', thing('nodes', name, { a: 'b' }))
    }
    await w.watch('/api/v1/nodes?watch=true')
    await w.time.advance(30_000)
    await write()
    const one = await during(60_000)
    const oneKeys = calls.keys

    const more = []
    for (let n = 1; n < 200; n += 1) more.push(await w.watch('/api/v1/nodes?watch=true'))
    await w.time.advance(30_000)
    for (const watch of more) watch.take()
    await write()
    expect(await during(60_000)).toEqual(one)
    expect(calls.keys).toBe(oneKeys)
    expect(one).toEqual({ 'objects.changes': 60, 'objects.read': 1 })
    expect(oneKeys).toBe(3)
    for (const watch of more) expect(watch.take()).toHaveLength(3)
  })

  it('do not depend on the objects that did not change', async () => {
    const { w, during } = counted()
    for (let names = 0; names < 500; names += 1) await w.put('nodes', thing('nodes', `n${names}`))
    await w.watch('/api/v1/nodes?watch=true')
    await w.time.advance(30_000)
    expect(await during(HOUR_MS)).toEqual({ 'objects.changes': 3_600 })
  })

  it('leave out objects that nobody selects', async () => {
    const { w, during } = counted()
    await w.put('nodes', thing('nodes', 'a'))
    await w.watch('/api/v1/nodes?watch=true&fieldSelector=metadata.name%3Da')
    await w.time.advance(30_000)
    await w.put('nodes', thing('nodes', 'b'))
    expect(await during(60_000)).toEqual({ 'objects.changes': 60 })
  })

  it('of one lease are one by key a second, however many watch it', async () => {
    const { w, during } = counted()
    const path = `${LEASES}/namespaces/default/leases?watch=true&fieldSelector=metadata.name%3Dlock`
    await w.store.leases.create(lease('lock'))
    for (let n = 0; n < 3; n += 1) await w.watch(path)
    await w.time.advance(30_000)
    expect(await during(HOUR_MS)).toEqual({ 'leases.get': 3_600 })
  })

  it('of all leases are one scan a second, whatever part is watched', async () => {
    const { w, during } = counted()
    await w.store.leases.create(lease('lock'))
    await w.watch(`${LEASES}/leases?watch=true`)
    await w.watch(`${LEASES}/namespaces/default/leases?watch=true`)
    await w.time.advance(30_000)
    expect(await during(HOUR_MS)).toEqual({ 'leases.scan': 3_600 })
  })
})

const lease = (name: string): Lease => ({
  apiVersion: 'coordination.k8s.io/v1',
  kind: 'Lease',
  metadata: { name, namespace: 'default', uid: `uid-${name}` },
  spec: { holderIdentity: 'me', leaseDurationSeconds: 15 },
})

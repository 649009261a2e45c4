import { describe, expect, it } from 'vitest'
import { createMonitor, type MonitorOptions } from '../../../functions/monitor/loop.ts'
import { tooManyRequests, unavailable, writeTimeout } from '../../../shared/kube/status-error.ts'
import { monitorLeaseKey } from '../../../shared/lifecycle/record-names.ts'
import { memoryStore } from '../../../shared/store/memory/store.ts'
import type { Key, PageRequest } from '../../../shared/store/ports.ts'
import { losingStore } from '../../store-doubles/losing-store.ts'
import { virtualTime } from '../../virtual-time.ts'
import { SmallFleet, T0 } from './small-fleet.ts'

const HOUR = 3_600_000

function stage(settings = {}) {
  const time = virtualTime(T0)
  const fleet = new SmallFleet({
    settings,
    store: () => memoryStore({ clock: time.now }),
    deps: { clock: time.now, sleep: time.sleep },
  })
  fleet.clock = time.now
  const start = (options: MonitorOptions = {}) => {
    const control = new AbortController()
    const ended = createMonitor(fleet.deps, options).run(control.signal)
    return { ended, stop: () => control.abort() }
  }
  const holder = async () =>
    (await fleet.store.leases.get(monitorLeaseKey))?.object.spec?.holderIdentity
  return { time, fleet, start, holder }
}

describe('a monitor', () => {
  it('ends after one tick when there are no nodes, and leaves the lease free', async () => {
    const { time, start, holder } = stage()
    expect(await time.until(start().ended)).toBe('empty')
    expect(time.now()).toBe(T0)
    expect(await holder()).toBeUndefined()
  })

  it('goes on without nodes where it is told to', async () => {
    const { time, start } = stage()
    const one = start({ endWhenEmpty: false })
    await time.advance(60_000)
    one.stop()
    expect(await time.until(one.ended)).toBe('aborted')
  })

  it('ends after 13 minutes', async () => {
    const { time, fleet, start } = stage()
    await fleet.addNode('host-1')
    expect(await time.until(start().ended)).toBe('ended')
    expect(time.now() - T0).toBeGreaterThan(12.5 * 60_000)
    expect(time.now() - T0).toBeLessThanOrEqual(13 * 60_000)
  })

  it.each(['lost', 'unsent'] as const)(
    'whose claim has a %s answer looks whether it has the lease',
    async (loss) => {
      const time = virtualTime(T0)
      const { store, lose } = losingStore(memoryStore({ clock: time.now }))
      const fleet = new SmallFleet({
        store: () => store,
        deps: { clock: time.now, sleep: time.sleep },
      })
      fleet.clock = time.now
      await fleet.addNode('host-1')
      const { signal } = new AbortController()
      lose(loss, async () => {})
      const running = createMonitor(fleet.deps, { identity: 'one' }).run(signal)
      await time.advance(2_000)
      const found = await store.leases.get(monitorLeaseKey)
      expect(found?.object.spec?.holderIdentity).toBe('one')
      expect(await time.until(running)).toBe('ended')
    },
  )

  it('is left alone by a newcomer while it has time left', async () => {
    const { time, fleet, start, holder } = stage()
    await fleet.addNode('host-1')
    const old = start({ identity: 'old' })
    for (let minute = 1; minute <= 10; minute++) {
      await time.advance(60_000)
      expect(await time.until(start({ identity: 'young' }).ended)).toBe('notNeeded')
    }
    expect(await holder()).toBe('old')
    old.stop()
    await time.until(old.ended)
  })

  it('hands over to a newcomer late in its life, when its next tick is due', async () => {
    const { time, fleet, start, holder } = stage()
    await fleet.addNode('host-1')
    const old = start({ identity: 'old' })
    // In the middle between two ticks.
    await time.advance(11 * 60_000 + 2_500)
    const young = start({ identity: 'young' })
    expect(await time.until(old.ended)).toBe('handedOver')
    const releasedAtMs = time.now()
    expect((releasedAtMs - T0) % 5_000).toBe(0)
    while ((await holder()) !== 'young') await time.advance(10)
    expect(time.now() - releasedAtMs).toBeLessThanOrEqual(100)
    young.stop()
    await time.until(young.ended)
  })

  it('is succeeded before its time is up, however the starts fall', async () => {
    const { time, fleet, start, holder } = stage()
    await fleet.addNode('host-1')
    const old = start({ identity: 'old' })
    // Once a minute, anywhere in the minute: two starts are up to two minutes apart.
    await time.advance(10.4 * 60_000)
    expect(await time.until(start({ identity: 'early' }).ended)).toBe('notNeeded')
    await time.advance(2 * 60_000)
    const late = start({ identity: 'late' })
    expect(await time.until(old.ended)).toBe('handedOver')
    await time.advance(200)
    expect(await holder()).toBe('late')
    late.stop()
    await time.until(late.ended)
  })

  it('lists the fleet before it claims, so that its first tick reads changes only', async () => {
    const { time, fleet, start } = stage()
    await fleet.addNodes(3, ['a'])
    const old = start({ identity: 'old' })
    await time.advance(11 * 60_000)
    const lists: { readonly resource: string; readonly holder: string | undefined }[] = []
    const { list } = fleet.store.objects
    Object.assign(fleet.store.objects, {
      list: async (resource: string, page: PageRequest) => {
        const lease = await fleet.store.leases.get(monitorLeaseKey)
        lists.push({ resource, holder: lease?.object.spec?.holderIdentity })
        return await list(resource, page)
      },
    })
    const young = start({ identity: 'young' })
    expect(await time.until(old.ended)).toBe('handedOver')
    await time.advance(10_000)
    expect(lists.filter(({ resource }) => resource === 'nodes' || resource === 'pods')).toEqual([
      { resource: 'nodes', holder: 'old' },
      { resource: 'pods', holder: 'old' },
    ])
    young.stop()
    await time.until(young.ended)
  })

  it('started twice at once leaves one of them', async () => {
    const { time, fleet, start, holder } = stage()
    await fleet.addNode('host-1')
    const both = [start({ identity: 'a' }), start({ identity: 'b' })]
    const ends: string[] = []
    for (const { ended } of both) void ended.then((end) => ends.push(end))
    await time.advance(20_000)
    expect(ends).toHaveLength(1)
    expect(['handedOver', 'superseded']).toContain(ends[0])
    expect(['a', 'b']).toContain(await holder())
    for (const { stop } of both) stop()
    await time.until(Promise.all(both.map(({ ended }) => ended)))
  })

  it('takes over from one that died, when its lease has run out', async () => {
    const { time, fleet, start, holder } = stage()
    await fleet.addNode('host-1')
    await fleet.store.leases.create({
      metadata: { ...monitorLeaseKey, uid: 'u' },
      spec: { holderIdentity: 'dead', leaseDurationSeconds: 15, renewTime: 'then' },
    })
    const young = start({ identity: 'young' })
    await time.advance(10_000)
    expect(await holder()).toBe('dead')
    await time.advance(8_000)
    expect(await holder()).toBe('young')
    young.stop()
    await time.until(young.ended)
  })

  it('asks patiently for a lease that only its own wrong clock calls free', async () => {
    const { time, fleet, start } = stage()
    await fleet.addNode('host-1')
    const old = start({ identity: 'old' })
    await time.advance(10_000)
    let asked = 0
    const { get, ...others } = fleet.store.leases
    const counted = (key: Key) => {
      asked += 1
      // Without a limit a monitor that never rests would never let this test end.
      if (asked > 1_000) throw new Error('it asks without a pause')
      return get(key)
    }
    const leases = { ...others, get: counted }
    const deps = {
      ...fleet.deps,
      store: { ...fleet.store, leases },
      clock: () => time.now() + HOUR,
    }
    const fast = new AbortController()
    const running = createMonitor(deps, { identity: 'fast' }).run(fast.signal)
    expect(await time.until(old.ended)).toBe('handedOver')
    expect(asked).toBeLessThan(150)
    fast.abort()
    await time.until(running)
  })

  it('marks a silent host a fraction of a second after its deadline', async () => {
    const { time, fleet, start } = stage()
    await fleet.addNodes(4, ['a', 'b'])
    await time.advance(1_700)
    const beating = ['host-00001', 'host-00002', 'host-00003']
    const one = start()
    const seen = { at: 0 }
    while (time.now() < T0 + 70_000) {
      await time.advance(100)
      if (time.now() % 5_000 === 0) await fleet.beat(...beating)
      const ready = await fleet.readyOf('host-00000')
      if (ready?.status === 'Unknown' && seen.at === 0) seen.at = time.now()
    }
    expect(seen.at - T0).toBeGreaterThan(50_000)
    expect(seen.at - T0).toBeLessThanOrEqual(50_300)
    one.stop()
    await time.until(one.ended)
  })

  it.each([
    { when: 'is busy', error: tooManyRequests('busy', 1) },
    { when: 'does not answer', error: unavailable('out of reach', 1) },
    { when: 'has not said what it did', error: writeTimeout() },
  ])('begins all the same when the store $when for a while', async ({ error }) => {
    const { time, fleet, start, holder } = stage()
    await fleet.addNode('host-1')
    const { get } = fleet.store.leases
    Object.assign(fleet.store.leases, { get: () => Promise.reject(error) })
    const one = start({ identity: 'one' })
    await time.advance(10_000)
    Object.assign(fleet.store.leases, { get })
    await time.advance(2_000)
    expect(await holder()).toBe('one')
    one.stop()
    await time.until(one.ended)
  })

  it('goes on when the store fails for a while', async () => {
    const { time, fleet, start } = stage()
    await fleet.addNode('host-1')
    const { get } = fleet.store.objects
    const one = start()
    await time.advance(20_000)
    Object.assign(fleet.store.objects, { get: () => Promise.reject(new Error('out of reach')) })
    await time.advance(20_000)
    Object.assign(fleet.store.objects, { get })
    await time.advance(60_000)
    expect((await fleet.readyOf('host-1'))?.status).toBe('Unknown')
    expect(fleet.logs.some(({ message }) => message.includes('finish a tick'))).toBe(true)
    one.stop()
    await time.until(one.ended)
  })
})

import { describe, expect, it } from 'vitest'
import { createMonitor, type MonitorOptions } from '../../../functions/monitor/loop.ts'
import { monitorLeaseKey } from '../../../shared/lifecycle/meeting-points.ts'
import { memoryStore } from '../../../shared/store/memory/store.ts'
import type { Key } from '../../../shared/store/ports.ts'
import { SmallFleet, T0 } from './small-fleet.ts'
import { VirtualTime } from './virtual-time.ts'

const HOUR = 3_600_000

function stage(settings = {}) {
  const time = new VirtualTime(T0)
  const fleet = new SmallFleet({
    settings,
    store: () => memoryStore({ clock: time.clock }),
    deps: { clock: time.clock, sleep: time.sleep },
  })
  fleet.clock = time.clock
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
    expect(time.nowMs).toBe(T0)
    expect(await holder()).toBeUndefined()
  })

  it('goes on without nodes where it is told to', async () => {
    const { time, start } = stage()
    const one = start({ endWhenEmpty: false })
    await time.run(60_000)
    one.stop()
    expect(await time.until(one.ended)).toBe('aborted')
  })

  it('ends after 13 minutes', async () => {
    const { time, fleet, start } = stage()
    await fleet.addNode('host-1')
    expect(await time.until(start().ended)).toBe('ended')
    expect(time.nowMs - T0).toBeGreaterThan(12.5 * 60_000)
    expect(time.nowMs - T0).toBeLessThanOrEqual(13 * 60_000)
  })

  it('hands over to a newcomer after its tick', async () => {
    const { time, fleet, start, holder } = stage()
    await fleet.addNode('host-1')
    const old = start({ identity: 'old' })
    await time.run(60_000)
    expect(await holder()).toBe('old')

    const young = start({ identity: 'young' })
    expect(await time.until(old.ended)).toBe('handedOver')
    await time.run(2_000)
    expect(await holder()).toBe('young')
    // No longer than a period and a poll without anybody.
    expect(time.nowMs - T0).toBeLessThan(60_000 + 8_000)
    young.stop()
    await time.until(young.ended)
  })

  it('started twice at once leaves one of them', async () => {
    const { time, fleet, start, holder } = stage()
    await fleet.addNode('host-1')
    const both = [start({ identity: 'a' }), start({ identity: 'b' })]
    const ends: string[] = []
    for (const { ended } of both) void ended.then((end) => ends.push(end))
    await time.run(20_000)
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
    await time.run(10_000)
    expect(await holder()).toBe('dead')
    await time.run(8_000)
    expect(await holder()).toBe('young')
    young.stop()
    await time.until(young.ended)
  })

  it('asks patiently for a lease that only its own wrong clock calls free', async () => {
    const { time, fleet, start } = stage()
    await fleet.addNode('host-1')
    const old = start({ identity: 'old' })
    await time.run(10_000)
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
      clock: () => time.nowMs + HOUR,
    }
    const fast = new AbortController()
    const running = createMonitor(deps, { identity: 'fast' }).run(fast.signal)
    expect(await time.until(old.ended)).toBe('handedOver')
    expect(asked).toBeLessThan(30)
    fast.abort()
    await time.until(running)
  })

  it('marks a silent host a fraction of a second after its deadline', async () => {
    const { time, fleet, start } = stage()
    await fleet.addNodes(4, ['a', 'b'])
    await time.run(1_700)
    const beating = ['host-00001', 'host-00002', 'host-00003']
    const one = start()
    const seen = { at: 0 }
    while (time.nowMs < T0 + 70_000) {
      await time.run(100)
      if (time.nowMs % 5_000 === 0) await fleet.beat(...beating)
      const ready = await fleet.readyOf('host-00000')
      if (ready?.status === 'Unknown' && seen.at === 0) seen.at = time.nowMs
    }
    expect(seen.at - T0).toBeGreaterThan(50_000)
    expect(seen.at - T0).toBeLessThanOrEqual(50_300)
    one.stop()
    await time.until(one.ended)
  })

  it('goes on when the store fails for a while', async () => {
    const { time, fleet, start } = stage()
    await fleet.addNode('host-1')
    const { get } = fleet.store.objects
    const one = start()
    await time.run(20_000)
    Object.assign(fleet.store.objects, { get: () => Promise.reject(new Error('out of reach')) })
    await time.run(20_000)
    Object.assign(fleet.store.objects, { get })
    await time.run(60_000)
    expect((await fleet.readyOf('host-1'))?.status).toBe('Unknown')
    expect(fleet.logs.some(({ message }) => message.includes('finish a tick'))).toBe(true)
    one.stop()
    await time.until(one.ended)
  })
})

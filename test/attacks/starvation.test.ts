/** Finding 9 and its class: no caller takes what others, or its own beats, need. */
import { describe, expect, it } from 'vitest'
import { createWatchServer } from '../../functions/api/watch/watch-server.ts'
import { memoryStore } from '../../shared/store/memory/store.ts'
import type { Store } from '../../shared/store/ports.ts'
import { NODES } from '../functions/api/world.ts'
import { idle } from '../virtual-time.ts'
import { beat, HOST, joinHost, type Service, START_MS, startService } from './service.ts'

const OWN_PODS = '/api/v1/pods?fieldSelector=spec.nodeName%3D'

describe('a flood of one host', () => {
  it('of other requests does not starve its beats', async () => {
    const service = await startService()
    const host = await joinHost(service, 'a')
    service.advance(60_000)
    const statuses: number[] = []
    for (let at = 0; at < 60; at++) {
      statuses.push((await service.call('GET', `${NODES}/a`, { as: host.token })).status)
    }
    expect(statuses.slice(50)).toEqual(Array(10).fill(429))
    expect((await beat(service, host)).status).toBe(200)
  })

  it('of beats is bounded too, and what else it sends is not', async () => {
    const service = await startService()
    const host = await joinHost(service, 'a')
    service.advance(60_000)
    const statuses: number[] = []
    for (let at = 0; at < 51; at++) statuses.push((await beat(service, host)).status)
    expect(statuses).toEqual([...Array(50).fill(200), 429])
    expect((await service.call('GET', `${NODES}/a`, { as: host.token })).status).toBe(200)
  })

  it.each(['operator', 'viewer'] as const)('does not slow an %s down', async (as) => {
    const service = await startService()
    const host = await joinHost(service, 'a')
    for (let at = 0; at < 60; at++) await service.call('GET', `${NODES}/a`, { as: host.token })
    expect((await service.call('GET', NODES, { as })).status).toBe(200)
  })
})

describe('lists that do not end', () => {
  /** The lists of pods get no answer from the table. */
  const stuck = (store: Store): Store => ({
    ...store,
    objects: { ...store.objects, podsOn: () => new Promise(() => {}) },
  })

  it('of one identity keep neither beats nor lists of others waiting', async () => {
    const service = await startService({ wrap: stuck })
    const [mad, calm] = [await joinHost(service, 'mad'), await joinHost(service, 'calm')]
    const lists = Array.from({ length: 40 }, () =>
      service.call('GET', `${OWN_PODS}mad`, { as: mad.token }),
    )
    await idle()
    for (const host of [calm, mad]) expect((await beat(service, host)).status).toBe(200)
    expect((await service.call('GET', NODES, { as: 'viewer' })).status).toBe(200)
    expect(lists).toHaveLength(40)
  })
})

describe('watches', () => {
  const open = async (service: Service, token: string, path: string) => {
    const headers = { authorization: `Bearer ${token}` }
    return await service.entry.fetch(new Request(`${HOST}${path}&watch=true`, { headers }))
  }

  it('of one host leave room for everybody else', async () => {
    const clock = () => START_MS
    const store = memoryStore({ clock })
    const timers = { after: () => () => {} }
    const random = () => 0.5
    const settings = { maxWatches: 50, slots: 'shared' as const }
    const watches = createWatchServer({ store, clock, random, log: () => {}, timers, settings })
    const service = await startService({ wrap: () => store, deps: { watch: watches.serve } })
    const host = await joinHost(service, 'a')
    const statuses: number[] = []
    for (let at = 0; at < 40; at++) {
      statuses.push((await open(service, host.token, `${OWN_PODS}a`)).status)
    }
    expect(statuses.filter((status) => status === 200)).toHaveLength(10)
    expect((await store.records.list('watch-slots/')).length).toBe(10)
    const others = [await service.personToken('operator'), await service.personToken('viewer')]
    for (const token of others) expect((await open(service, token, `${NODES}?`)).status).toBe(200)
  })
})

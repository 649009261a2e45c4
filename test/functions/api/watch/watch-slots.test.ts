import { describe, expect, it } from 'vitest'
import { LAMBDA_WATCHES } from '../../../../functions/api/watch/watch-limits.ts'
import { shareOf } from '../../../../functions/api/watch/watch-slots.ts'
import { countingStore, storeCalls } from '../../../store-doubles/counting-store.ts'
import { watchWorld } from './watch-world.ts'

const NODES = '/api/v1/nodes?watch=true'
const inLambda = (maxWatches: number) => ({ settings: { ...LAMBDA_WATCHES, maxWatches } })

describe('slots', () => {
  it('cost one conditional write, and one more when the watch ends', async () => {
    const calls = storeCalls()
    const w = watchWorld({ ...inLambda(50), wrap: (store) => countingStore(store, calls) })
    const watch = await w.watch(NODES)
    expect(calls.counts().commit).toBe(1)
    expect(calls.counts()['records.list']).toBeUndefined()
    await watch.cut()
    expect(calls.counts().commit).toBe(2)
    expect(await w.store.records.list('watch-slots/')).toEqual([])
  })

  it('are refused with 429 and Retry-After when all are taken, and free again at an end', async () => {
    const w = watchWorld(inLambda(3))
    const open = [await w.watch(NODES), await w.watch(NODES), await w.watch(NODES)]
    const { status, headers, body } = await w.call('GET', NODES)
    expect([status, body.reason]).toEqual([429, 'TooManyRequests'])
    expect(headers.get('retry-after')).toBe('10')
    await open[1]!.cut()
    expect((await w.watch(NODES)).status).toBe(200)
  })

  it('of a process that died are free within a minute', async () => {
    const w = watchWorld(inLambda(1))
    const dead = watchWorld({ ...inLambda(1), wrap: () => w.store })
    await dead.watch(NODES)
    expect((await w.call('GET', NODES, { as: 'viewer' })).status).toBe(429)
    // Its clock stands still, and with it its renewals.
    await w.time.advance(46_000)
    expect((await w.watch(NODES)).status).toBe(200)
  })

  it('are renewed for as long as the watch lasts', async () => {
    const w = watchWorld(inLambda(1))
    const watch = await w.watch(NODES)
    await w.time.advance(4 * 60_000)
    expect(watch.state()).toBe('open')
    expect((await w.call('GET', NODES, { as: 'viewer' })).status).toBe(429)
    await watch.cut()
    expect(await w.store.records.list('watch-slots/')).toEqual([])
    expect(w.time.pending()).toBe(0)
  })

  it('are kept while the table refuses to renew them', async () => {
    const failing = { now: false }
    const w = watchWorld({
      ...inLambda(1),
      wrap: (store) => ({
        ...store,
        commit: async (steps) => {
          if (failing.now) throw new Error('throttled')
          return await store.commit(steps)
        },
      }),
    })
    const watch = await w.watch(NODES)
    failing.now = true
    await w.time.advance(40_000)
    failing.now = false
    await w.time.advance(40_000)
    expect(watch.state()).toBe('open')
    expect(await w.store.records.list('watch-slots/')).toHaveLength(1)
  })

  it('are a matter of this process alone where it is the only one', async () => {
    const calls = storeCalls()
    const w = watchWorld({
      settings: { maxWatches: 2 },
      wrap: (store) => countingStore(store, calls),
    })
    const open = [await w.watch(NODES), await w.watch(NODES)]
    expect((await w.call('GET', NODES)).status).toBe(429)
    expect(calls.counts().commit).toBeUndefined()
    await open[0]!.cut()
    expect((await w.watch(NODES)).status).toBe(200)
  })
})

describe.each([
  { where: 'in one process', settings: { maxWatches: 50 } },
  { where: 'in the table', settings: { ...LAMBDA_WATCHES, maxWatches: 50 } },
])('a share of the slots $where', ({ settings }) => {
  it('is all that one identity can hold', async () => {
    const w = watchWorld({ settings })
    const statuses: number[] = []
    for (let at = 0; at < 50; at++) statuses.push((await w.watch(NODES)).status)
    expect(statuses.filter((status) => status === 200)).toHaveLength(10)
    expect(statuses.slice(0, 10)).not.toContain(429)
    const other = await w.watch(NODES, { authorization: 'Bearer viewer' })
    expect(other.status).toBe(200)
  })

  it('grows with what there is, and is never less than a client needs', () => {
    expect([1, 3, 4, 10, 50, 1_000].map(shareOf)).toEqual([1, 3, 4, 4, 10, 200])
  })
})

describe('a watch beyond the share, in the table', () => {
  it('takes the place of the oldest of its own, once that has had a minute', async () => {
    const w = watchWorld(inLambda(4))
    const open = []
    for (let at = 0; at < 4; at++) {
      open.push(await w.watch(NODES))
      await w.time.advance(1_000)
    }
    expect((await w.call('GET', NODES)).status).toBe(429)
    await w.time.advance(57_000)
    expect((await w.watch(NODES)).status).toBe(200)
    await w.time.advance(15_000)
    expect(open.map((watch) => watch.state())).toEqual(['ended', 'open', 'open', 'open'])
    expect(await w.store.records.list('watch-slots/')).toHaveLength(4)
  })

  it('never takes that of another identity', async () => {
    const w = watchWorld(inLambda(4))
    const open = []
    for (let at = 0; at < 4; at++) open.push(await w.watch(NODES))
    await w.time.advance(120_000)
    const refused = await w.call('GET', NODES, { as: 'viewer' })
    expect([refused.status, refused.body.message]).toEqual([
      429,
      expect.stringContaining('of which one identity may hold 4'),
    ])
    expect(open.map((watch) => watch.state())).toEqual(['open', 'open', 'open', 'open'])
  })
})

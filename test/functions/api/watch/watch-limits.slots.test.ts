import { describe, expect, it } from 'vitest'
import { LAMBDA_WATCHES } from '../../../../functions/api/watch/watch-limits.ts'
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

  it('of a holder that died are free when its time is over', async () => {
    const w = watchWorld(inLambda(1))
    const { settings } = inLambda(1)
    const expiresAtMs = w.time.now() + settings.maxTimeoutMs
    await w.store.commit([{ do: 'putRecord', name: 'watch-slots/0', value: {}, expiresAtMs }])
    expect((await w.call('GET', NODES)).status).toBe(429)
    await w.time.advance(settings.maxTimeoutMs + 1_000)
    expect((await w.watch(NODES)).status).toBe(200)
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

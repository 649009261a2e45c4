import { describe, expect, it } from 'vitest'
import { LOCKS, lease } from '../world.ts'
import { shown, type WatchWorld, watchWorld } from './watch-world.ts'

const ALL = `${LOCKS}?watch=true`
const ONE = `${ALL}&fieldSelector=metadata.name%3Da`
const hold = (w: WatchWorld, name: string) =>
  w.call('POST', LOCKS, { body: lease(name, { holderIdentity: 'me', leaseDurationSeconds: 15 }) })
const renew = (w: WatchWorld, name: string, renewTime: string) =>
  w.call('PATCH', `${LOCKS}/${name}`, { body: { spec: { renewTime } } })
const versionOf = async (w: WatchWorld) =>
  (await w.call('GET', LOCKS)).body.metadata.resourceVersion as string

describe.each([
  { of: 'one lease by name', path: ONE, pollMs: 1_000 },
  { of: 'all leases', path: ALL, pollMs: 1_000 },
])('a watch of $of', ({ path, pollMs }) => {
  it('shows what there is, renewals, and deletion by absence', async () => {
    const w = watchWorld()
    await hold(w, 'a')
    const watch = await w.watch(path)
    expect(shown(watch.take())).toEqual(['ADDED a'])
    await renew(w, 'a', '2026-01-02T03:04:06.000000Z')
    await w.time.advance(pollMs)
    const [renewed] = watch.take()
    expect(renewed).toMatchObject({
      type: 'MODIFIED',
      object: { kind: 'Lease', spec: { renewTime: '2026-01-02T03:04:06.000000Z' } },
    })
    await w.call('DELETE', `${LOCKS}/a`)
    await w.time.advance(pollMs)
    const [gone] = watch.take()
    expect(gone).toMatchObject({ type: 'DELETED', object: { spec: { holderIdentity: 'me' } } })
    const versions = [renewed, gone].map((frame) => Number(frame!.object.metadata.resourceVersion))
    expect(versions[1]).toBeGreaterThan(versions[0]!)
  })

  it('tells of a deletion and a re-creation between two polls', async () => {
    const w = watchWorld()
    await hold(w, 'a')
    const watch = await w.watch(path)
    await w.time.advance(30_000)
    watch.take()
    await w.call('DELETE', `${LOCKS}/a`)
    await hold(w, 'a')
    await w.time.advance(pollMs)
    expect(shown(watch.take())).toEqual(['DELETED a', 'ADDED a'])
  })
})

describe('resuming', () => {
  it('one lease works from any time, because what it is now says everything', async () => {
    const w = watchWorld()
    await hold(w, 'a')
    await w.time.advance(60_000)
    const version = await versionOf(w)
    await w.time.advance(60_000)
    await renew(w, 'a', '2026-01-02T03:05:06.000000Z')
    const changed = await w.watch(`${ONE}&resourceVersion=${version}`)
    expect(shown(changed.take())).toEqual(['MODIFIED a'])
    await w.call('DELETE', `${LOCKS}/a`)
    const gone = await w.watch(`${ONE}&resourceVersion=${version}`)
    expect(shown(gone.take())).toEqual(['DELETED a'])
  })

  it('all leases is 410 from before this process looked, and works from then on', async () => {
    const w = watchWorld()
    await hold(w, 'a')
    await hold(w, 'b')
    const before = await versionOf(w)
    await w.time.advance(1_000)
    const refused = await w.watch(`${ALL}&resourceVersion=${before}`)
    expect(shown(refused.take())).toEqual(['ERROR 410'])
    expect(refused.state()).toBe('ended')

    await w.time.advance(1_000)
    const after = await versionOf(w)
    await w.call('DELETE', `${LOCKS}/b`)
    const watch = await w.watch(`${ALL}&resourceVersion=${after}`)
    expect(shown(watch.take())).toContain('DELETED b')
  })

  it('all leases goes on where it was while the process keeps watching', async () => {
    const w = watchWorld()
    await w.watch(ALL)
    await w.time.advance(60_000)
    await hold(w, 'a')
    await hold(w, 'b')
    await w.time.advance(60_000)
    const version = await versionOf(w)
    await w.time.advance(60_000)
    await w.call('DELETE', `${LOCKS}/a`)
    await renew(w, 'b', '2026-01-02T03:06:06.000000Z')
    await w.time.advance(60_000)
    const watch = await w.watch(`${ALL}&resourceVersion=${version}`)
    expect(shown(watch.take()).toSorted()).toEqual(['DELETED a', 'MODIFIED b'])
  })

  it('after a first look at the start, a list and then a watch is enough', async () => {
    const w = watchWorld()
    await w.watches.scanLeases()
    await w.time.advance(3_600_000)
    await hold(w, 'a')
    const version = await versionOf(w)
    const watch = await w.watch(`${ALL}&resourceVersion=${version}`)
    expect(watch.take().filter(({ type }) => type === 'ERROR')).toEqual([])
    expect(watch.state()).toBe('open')
  })
})

it('a scan that shows an older state than the one before is not believed', async () => {
  let isStale = false
  const w = watchWorld({
    wrap: (store) => ({
      ...store,
      leases: {
        ...store.leases,
        scan: (namespace) => (isStale ? nothing() : store.leases.scan(namespace)),
      },
    }),
  })
  await hold(w, 'a')
  const watch = await w.watch(ALL)
  watch.take()
  isStale = true
  await w.time.advance(15_000)
  expect(watch.take()).toEqual([])
})

it('more than a thousand leases are scanned every five seconds', async () => {
  const w = watchWorld()
  for (let i = 0; i <= 1_000; i++) await w.store.leases.create(lease(`many-${i}`, {}))
  const watch = await w.watch(ALL)
  watch.take()
  await hold(w, 'a')
  await w.time.advance(4_000)
  expect(watch.take()).toEqual([])
  await w.time.advance(1_000)
  expect(shown(watch.take())).toEqual(['ADDED a'])
})

async function* nothing() {}

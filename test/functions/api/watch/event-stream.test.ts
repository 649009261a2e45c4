/**
 * The promise of a watch: whoever goes on from the last version they saw misses nothing, however
 * late the index is and whatever the clocks of the writers say, within the bounds that clock-bounds.ts
 * names.
 */
import { describe, expect, it } from 'vitest'
import { seededRandom } from '../../../builders/seeded-random.ts'
import { idle } from '../../../virtual-time.ts'
import { type Informer, informer, listed } from './informer.ts'
import { thing, type WatchWorld, watchWorld } from './watch-world.ts'

// So many that hardly any is written again soon: what was missed stays missed.
const NAMES = 1_000

interface Weather {
  readonly lagMs: readonly [number, number]
  readonly skewMs: readonly [number, number]
}

// As issue 4 has it, and at the very limits: a slow clock and a slow attempt make a stamp four
// seconds old.
const usual: Weather = { lagMs: [0, 4_000], skewMs: [-1_000, 1_000] }
const worst: Weather = { lagMs: [0, 5_000], skewMs: [-4_000, 2_000] }

describe('a watcher that reconnects at random during thousands of random writes', () => {
  it.each([
    { plural: 'nodes', path: '/api/v1/nodes', query: '', writes: 10_000, weather: usual },
    { plural: 'pods', path: '/api/v1/pods', query: '', writes: 10_000, weather: usual },
    { plural: 'events', path: '/api/v1/events', query: '', writes: 10_000, weather: usual },
    { plural: 'nodes', path: '/api/v1/nodes', query: '', writes: 4_000, weather: worst },
    {
      plural: 'pods',
      path: '/api/v1/pods',
      query: 'labelSelector=on%3Dyes',
      writes: 4_000,
      weather: worst,
    },
  ])(
    'ends with what a list shows: $plural $query $weather.lagMs $weather.skewMs',
    async ({ writes, weather, ...of }) => {
      const random = seededRandom(of.plural.length + of.query.length)
      const between = ([from, to]: readonly [number, number]) => from + random() * (to - from)
      // The comparison with a full list would hide what polls miss.
      const w = watchWorld({
        indexLagMs: () => between(weather.lagMs),
        settings: { relistMs: Number.POSITIVE_INFINITY },
      })
      const steady = await informer(w, of)
      const restless = await informer(w, of)
      for (let written = 0; written < writes; written += 1) {
        await writeAny(w, of.plural, random, between(weather.skewMs))
        if (random() < 0.3) await w.time.advance(Math.floor(random() * 700))
        if (random() < 0.02) await restless.reconnect(Math.floor(random() * 12))
        if (random() < 0.1) steady.read()
        if (random() < 0.1) restless.read()
      }
      await settle(w, steady, restless)
      const truth = await listed(w, of)
      expect(truth.size).toBeGreaterThan(5)
      expect(steady.copy).toEqual(truth)
      expect(restless.copy).toEqual(truth)
      expect(restless.relists()).toBe(0)
    },
    60_000,
  )
})

async function writeAny(w: WatchWorld, plural: string, random: () => number, skewMs: number) {
  const name = `n${Math.floor(random() * NAMES)}`
  const namespace = plural === 'nodes' ? '' : 'default'
  const found = await w.store.objects.get(plural, { namespace, name })
  const labels = { on: random() < 0.5 ? 'yes' : 'no', at: String(Math.floor(random() * 9)) }
  if (!found || random() < 0.7) return await w.put(plural, thing(plural, name, labels), skewMs)
  await w.drop(plural, found.key, skewMs)
  // Taken again at once, by somebody whose clock may say that this was before.
  if (random() < 0.5) await w.put(plural, thing(plural, name, labels), -skewMs)
}

async function settle(w: WatchWorld, ...clients: Informer[]) {
  await w.time.advance(30_000)
  await idle()
  for (const client of clients) client.read()
}

describe('a name that was taken again before the client listed', () => {
  const path = '/api/v1/nodes?watch=true&fieldSelector=metadata.name%3Dtwice'

  async function takenAgain(): Promise<WatchWorld> {
    const w = watchWorld()
    await w.call('POST', '/api/v1/nodes', { body: { metadata: { name: 'twice' } } })
    await w.time.advance(1_000)
    await w.call('DELETE', '/api/v1/nodes/twice')
    await w.time.advance(1_000)
    await w.call('POST', '/api/v1/nodes', { body: { metadata: { name: 'twice' } } })
    await w.time.advance(1_000)
    return w
  }

  it('is not reported gone: kubectl delete would believe that its node is', async () => {
    const w = await takenAgain()
    const { body } = await w.call('GET', '/api/v1/nodes')
    const open = await w.watch(`${path}&resourceVersion=${body.metadata.resourceVersion}`)
    await w.time.advance(5_000)
    expect(open.frames.map(({ type }) => type)).not.toContain('DELETED')
  })

  it('is reported gone when it goes after that', async () => {
    const w = await takenAgain()
    const { body } = await w.call('GET', '/api/v1/nodes')
    await w.time.advance(1_000)
    await w.call('DELETE', '/api/v1/nodes/twice')
    const open = await w.watch(`${path}&resourceVersion=${body.metadata.resourceVersion}`)
    await w.time.advance(5_000)
    expect(open.frames.at(-1)?.type).toBe('DELETED')
    expect(open.frames.at(-1)?.object.metadata.uid).toBe(body.items[0].metadata.uid)
  })
})

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { selectionOf } from '../../../../functions/api/request/selection.ts'
import type { Delta } from '../../../../functions/api/watch/change-source.ts'
import { eventFilter } from '../../../../functions/api/watch/event-filter.ts'
import { OVERLAP } from '../../../../functions/api/watch/watch-options.ts'
import { resourceNamed } from '../../../builders/stored-object.ts'
import { idle } from '../../../virtual-time.ts'
import { type Informer, informer, listed } from './informer.ts'
import { shown, thing, type WatchWorld, watchWorld } from './watch-world.ts'

const ON = 'labelSelector=on%3Dyes'
const node = (name: string) => ({ namespace: '', name })

describe('a watch with a selector', () => {
  it('adds what begins to match and deletes what ceases to, with the new version', async () => {
    const w = watchWorld()
    await w.put('nodes', thing('nodes', 'in', { on: 'yes' }))
    await w.put('nodes', thing('nodes', 'out', { on: 'no' }))
    const watch = await w.watch(`/api/v1/nodes?watch=true&${ON}`)
    expect(shown(watch.take())).toEqual(['ADDED in'])
    await w.put('nodes', thing('nodes', 'out', { on: 'yes' }))
    const version = await w.put('nodes', thing('nodes', 'in', { on: 'no' }))
    await w.time.advance(1_000)
    const frames = watch.take()
    expect(shown(frames)).toEqual(['ADDED out', 'DELETED in'])
    expect(frames[1]!.object.metadata.resourceVersion).toBe(String(version))
    await w.put('nodes', thing('nodes', 'in', { on: 'no', x: 'y' }))
    await w.drop('nodes', node('in'))
    await w.time.advance(1_000)
    expect(watch.take()).toEqual([])
  })

  it('sees through what happened between two polls', async () => {
    const w = watchWorld()
    await w.put('nodes', thing('nodes', 'a', { on: 'yes' }))
    const watch = await w.watch(`/api/v1/nodes?watch=true&${ON}`)
    await w.time.advance(20_000)
    watch.take()
    await w.put('nodes', thing('nodes', 'a', { on: 'no' }))
    await w.put('nodes', thing('nodes', 'a', { on: 'no', x: 'y' }))
    await w.time.advance(1_000)
    expect(shown(watch.take())).toEqual(['DELETED a'])
  })

  it.each([
    { when: 'it ceased to match in one change', changes: [{ on: 'no' }], frames: ['DELETED a'] },
    {
      when: 'it ceased to long before its last change',
      changes: [{ on: 'no' }, { on: 'no', x: 'y' }],
      frames: ['DELETED a'],
    },
    { when: 'it still matches', changes: [{ on: 'yes', x: 'y' }], frames: ['MODIFIED a'] },
  ])(
    'resumed from a version, tells what became of an object: $when',
    async ({ changes, frames }) => {
      const w = watchWorld()
      await w.put('nodes', thing('nodes', 'a', { on: 'yes' }))
      await w.time.advance(60_000)
      const from = `resourceVersion=${w.time.now() * 1_000}`
      for (const labels of changes) {
        await w.time.advance(60_000)
        await w.put('nodes', thing('nodes', 'a', labels as unknown as Record<string, string>))
      }
      const watch = await w.watch(`/api/v1/nodes?watch=true&${ON}&${from}`)
      expect(shown(watch.take())).toEqual(frames)
    },
  )

  it.each([
    { what: 'was just created', writes: 1, isGone: false },
    { what: 'was just created and changed', writes: 3, isGone: false },
    { what: 'has come and gone', writes: 3, isGone: true },
  ])('resumed, is silent about what never matched and $what', async ({ writes, isGone }) => {
    const w = watchWorld()
    for (let at = 0; at < writes; at += 1) await w.put('nodes', thing('nodes', 'a', { on: 'no' }))
    if (isGone) await w.drop('nodes', node('a'))
    const from = `resourceVersion=${w.time.now() * 1_000}`
    const watch = await w.watch(`/api/v1/nodes?watch=true&${ON}&${from}`)
    expect(watch.take()).toEqual([])
  })

  it('resumed, is silent about what never matched', async () => {
    const w = watchWorld()
    await w.put('nodes', thing('nodes', 'a', { on: 'no' }))
    await w.time.advance(60_000)
    const from = `resourceVersion=${w.time.now() * 1_000}`
    await w.time.advance(60_000)
    await w.put('nodes', thing('nodes', 'a', { on: 'no', x: 'y' }))
    await w.put('nodes', thing('nodes', 'b', { on: 'no' }))
    const watch = await w.watch(`/api/v1/nodes?watch=true&${ON}&${from}`)
    expect(watch.take()).toEqual([])
  })
})

describe('what a resumed client may have', () => {
  const START = 1_000_000_000_000
  const LONG_AGO = START - 10 * OVERLAP
  const nodes = { resource: resourceNamed('nodes'), key: node('') }
  const selection = selectionOf(nodes, new URLSearchParams(ON))
  const resumed = () => eventFilter({ selection, startVersion: START, isComplete: false })
  const delta = (uid: string, on: string, rest: Partial<Delta> = {}): Delta => ({
    key: node('a'),
    uid,
    version: START,
    createdVersion: LONG_AGO,
    deleted: false,
    labels: { on },
    fields: {},
    object: { metadata: {} },
    ...rest,
  })
  const past = (on: string, version: number, labelsSince = version) => ({
    version,
    labels: { on },
    fields: {},
    labelsSince,
  })

  it.each([
    { when: 'it did not match before', told: undefined, rest: { before: past('no', LONG_AGO) } },
    { when: 'it matched before', told: 'DELETED', rest: { before: past('yes', LONG_AGO) } },
    { when: 'before is after the start', told: 'DELETED', rest: { before: past('no', START) } },
    {
      when: 'there may have been something in between',
      told: 'DELETED',
      rest: { before: past('no', LONG_AGO), mayHaveSkipped: true as const },
    },
    { when: 'it is younger', told: undefined, rest: { createdVersion: START + 2 * OVERLAP } },
    { when: 'it is new and never was otherwise', told: undefined, rest: { createdVersion: START } },
    {
      when: 'its labels did not match long before the start',
      told: undefined,
      rest: { before: past('no', START, LONG_AGO) },
    },
    {
      when: 'its labels did not match since it was created',
      told: undefined,
      rest: { before: past('no', START - 1, START - 2), createdVersion: START - 2 },
    },
    {
      when: 'its labels matched long before the start',
      told: 'DELETED',
      rest: { before: past('yes', START, LONG_AGO) },
    },
    {
      when: 'its labels had just changed',
      told: 'DELETED',
      rest: { before: past('no', START - 1, START - 2) },
    },
  ])('an object that does not match, when $when: $told', ({ told, rest }) => {
    const filter = resumed()
    const change = delta('x', 'no', rest)
    expect(filter.wants(change)).toBe(told !== undefined)
    expect(filter.eventTypeFor(change)).toBe(told)
  })

  it('the end of one bearer of a name says nothing about another', () => {
    const filter = resumed()
    const end = { deleted: true, before: past('no', LONG_AGO) }
    expect(filter.eventTypeFor(delta('former', 'no', end))).toBeUndefined()
    expect(filter.eventTypeFor(delta('later', 'no', { before: past('yes', START) }))).toBe(
      'DELETED',
    )
  })

  it('a young bearer that does not match says nothing about the former', () => {
    const filter = resumed()
    const young = { createdVersion: START + 2 * OVERLAP }
    expect(filter.eventTypeFor(delta('later', 'no', young))).toBeUndefined()
    const end = { deleted: true, before: past('yes', LONG_AGO) }
    expect(filter.eventTypeFor(delta('former', 'yes', end))).toBe('DELETED')
  })
})

type Move =
  | { readonly do: 'put'; readonly name: string; readonly on: string; readonly skewMs: number }
  | { readonly do: 'drop'; readonly name: string; readonly skewMs: number }
  | { readonly do: 'wait'; readonly ms: number }
  | { readonly do: 'reconnect'; readonly after: number }

const name = fc.constantFrom('a', 'b', 'c', 'd')
const skewMs = fc.integer({ min: -1_000, max: 1_000 })
const move: fc.Arbitrary<Move> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('put'),
      name,
      on: fc.constantFrom('yes', 'no'),
      skewMs,
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('drop'), name, skewMs }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('wait'),
      ms: fc.constantFrom(100, 1_500, 9_000, 40_000),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('reconnect'), after: fc.nat(3) }) },
) as fc.Arbitrary<Move>

describe('whatever happens, in the end the client has what a list with its selector shows', () => {
  it.each([
    ON,
    'labelSelector=on%21%3Dyes',
    'fieldSelector=metadata.name%3Da',
    'fieldSelector=metadata.name%3Db&labelSelector=on',
    '',
  ])(
    '%s',
    async (query) => {
      const lags = fc.infiniteStream(fc.integer({ min: 0, max: 4_000 }))
      await fc.assert(
        fc.asyncProperty(fc.array(move, { maxLength: 40 }), lags, async (moves, lagMs) => {
          const w = watchWorld({ indexLagMs: () => lagMs.next().value })
          const of = { path: '/api/v1/nodes', query }
          const client = await informer(w, of)
          for (const each of moves) await perform(w, client, each)
          await w.time.advance(30_000)
          await idle()
          client.read()
          expect(client.copy).toEqual(await listed(w, of))
          w.watches.close()
        }),
        { numRuns: 60 },
      )
    },
    60_000,
  )
})

async function perform(w: WatchWorld, client: Informer, each: Move) {
  if (each.do === 'wait') return await w.time.advance(each.ms)
  if (each.do === 'reconnect') return await client.reconnect(each.after)
  if (each.do === 'put') {
    await w.put('nodes', thing('nodes', each.name, { on: each.on }), each.skewMs)
    return
  }
  const found = await w.store.objects.get('nodes', node(each.name))
  if (found) await w.drop('nodes', found.key, each.skewMs)
}

import { expect, it } from 'vitest'
import {
  latestPerUid,
  newChanges,
  recentlyReported,
  recordReported,
  type WatchCache,
  watchCache,
  withImpliedDeletions,
} from '../../../../functions/api/watch/watch-cache.ts'
import { OVERLAP } from '../../../../functions/api/watch/watch-options.ts'
import type { Change } from '../../../../shared/store/ports.ts'

const START = 1_000_000_000

function change(uid: string, version: number, deleted = false): Change {
  const key = { namespace: '', name: 'a' }
  return { key, uid, version: START + version, deleted, labels: {}, fields: {}, createdVersion: 1 }
}

function told(...changes: Change[]): WatchCache {
  const cache = watchCache(START)
  recordReported(cache, changes, 0)
  return cache
}

const names = (changes: readonly Change[]) =>
  changes.map(({ uid, version, deleted }) => `${uid}@${version - START}${deleted ? ' end' : ''}`)

it.each([
  { when: 'nothing was told', before: [], shows: [change('x', 1)], news: ['x@1'] },
  { when: 'it was told', before: [change('x', 1)], shows: [change('x', 1)], news: [] },
  {
    when: 'a newer state was told',
    before: [change('x', 2)],
    shows: [change('x', 1)],
    news: [],
  },
  {
    when: 'its end was told, and a late copy still shows it',
    before: [change('x', 1), change('x', 2, true)],
    shows: [change('x', 1), change('x', 2, true)],
    news: [],
  },
])('tells only what is news: $when', ({ before, shows, news }) => {
  const cache = told(...before)
  const fresh = newChanges(cache, shows)
  expect(names(fresh)).toEqual(news)
  recordReported(cache, withImpliedDeletions(cache, fresh), 0)
  expect(newChanges(cache, shows)).toEqual([])
})

it('ends the former bearer of a name before the new one, though its tombstone was not seen', () => {
  const cache = told(change('x', 5))
  const deltas = withImpliedDeletions(cache, [change('y', 3)])
  expect(names(deltas)).toEqual(['x@6 end', 'y@3'])
  recordReported(cache, deltas, 0)
  expect(newChanges(cache, [change('x', 4, true)])).toEqual([])
})

it('keeps what other copies of the index may lack, and forgets ends that none can show', () => {
  const cache = told(change('x', 1), change('x', 2, true), change('y', 3))
  expect(names(recentlyReported(cache)).toSorted()).toEqual(['x@2 end', 'y@3'])
  recordReported(cache, [], START + 3)
  expect(names(recentlyReported(cache))).toEqual(['y@3'])
  expect(cache.horizon).toBe(START + 3)
  expect(cache.startVersion).toBe(START - OVERLAP)
})

it('takes the end of each bearer, or else its latest state', () => {
  const changes = [change('x', 9), change('x', 3, true), change('y', 4), change('y', 5)]
  expect(names(latestPerUid(changes))).toEqual(['x@3 end', 'y@5'])
})

import { expect, it } from 'vitest'
import {
  freshOf,
  type IndexMemory,
  indexMemory,
  latestOf,
  recent,
  remember,
  withEnds,
} from '../../../../functions/api/watch/index-memory.ts'
import { OVERLAP } from '../../../../functions/api/watch/timing.ts'
import type { Change } from '../../../../shared/store/ports.ts'

const START = 1_000_000_000

function change(uid: string, version: number, deleted = false): Change {
  const key = { namespace: '', name: 'a' }
  return { key, uid, version: START + version, deleted, labels: {}, fields: {}, createdVersion: 1 }
}

function told(...changes: Change[]): IndexMemory {
  const memory = indexMemory(START)
  remember(memory, changes, 0)
  return memory
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
  const memory = told(...before)
  const fresh = freshOf(memory, shows)
  expect(names(fresh)).toEqual(news)
  remember(memory, withEnds(memory, fresh), 0)
  expect(freshOf(memory, shows)).toEqual([])
})

it('ends the former bearer of a name before the new one, though its tombstone was not seen', () => {
  const memory = told(change('x', 5))
  const deltas = withEnds(memory, [change('y', 3)])
  expect(names(deltas)).toEqual(['x@6 end', 'y@3'])
  remember(memory, deltas, 0)
  expect(freshOf(memory, [change('x', 4, true)])).toEqual([])
})

it('keeps what other copies of the index may lack, and forgets ends that none can show', () => {
  const memory = told(change('x', 1), change('x', 2, true), change('y', 3))
  expect(names(recent(memory)).toSorted()).toEqual(['x@2 end', 'y@3'])
  remember(memory, [], START + 3)
  expect(names(recent(memory))).toEqual(['y@3'])
  expect(memory.horizon).toBe(START + 3)
  expect(memory.beganVersion).toBe(START - OVERLAP)
})

it('takes the end of each bearer, or else its latest state', () => {
  const changes = [change('x', 9), change('x', 3, true), change('y', 4), change('y', 5)]
  expect(names(latestOf(changes))).toEqual(['x@3 end', 'y@5'])
})

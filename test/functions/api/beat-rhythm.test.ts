import { expect, it } from 'vitest'
import { createBeatRhythm } from '../../../functions/api/beat-rhythm.ts'
import { memoryStore } from '../../../shared/store/memory/store.ts'
import type { StoredLease } from '../../../shared/store/ports.ts'

const settled = () => new Promise((resolve) => setImmediate(resolve))
const lease = (name: string, namespace = 'kube-node-lease') =>
  ({ key: { namespace, name } }) as StoredLease

it('tells a host with a grace of its own how often to beat, and reads once in half a minute', async () => {
  let nowMs = 0
  let reads = 0
  const store = memoryStore({ clock: () => nowMs })
  const records = {
    ...store.records,
    get: <T>(name: string) => {
      reads += 1
      return store.records.get<T>(name)
    },
  }
  const rhythm = createBeatRhythm({ store: { records }, clock: () => nowMs, onTrouble: () => {} })
  const value = { quick: 4 }
  await store.commit([{ do: 'putRecord', name: 'beat-rhythm', value }])

  expect(rhythm(lease('quick'))).toBeUndefined()
  await settled()
  for (let at = 0; at < 50; at += 1) expect(rhythm(lease('quick'))).toBe(4)
  expect(rhythm(lease('usual'))).toBeUndefined()
  expect(rhythm(lease('constructor'))).toBeUndefined()
  expect(rhythm(lease('quick', 'default'))).toBeUndefined()
  expect(reads).toBe(1)
  nowMs += 30_000
  rhythm(lease('quick'))
  expect(reads).toBe(2)
})

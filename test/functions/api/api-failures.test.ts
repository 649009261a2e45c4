import { describe, expect, it } from 'vitest'
import { createFailureReporter } from '../../../functions/api/api-failures.ts'
import { memoryStore } from '../../../shared/store/memory/store.ts'
import { countingStore, storeCalls } from '../../store-doubles/counting-store.ts'

const T0 = Date.UTC(2026, 0, 1)
const settled = () => new Promise((resolve) => setImmediate(resolve))

function stage() {
  let nowMs = T0
  const clock = () => nowMs
  const store = memoryStore({ clock })
  const troubles: string[] = []
  const calls = storeCalls()
  const counted = countingStore(store, calls)
  const make = () =>
    createFailureReporter({ store: counted, clock, onTrouble: (what) => troubles.push(what) })
  const pass = (ms: number) => {
    nowMs += ms
  }
  const word = async () => (await store.records.get('distress'))?.value
  return { store: counted, make, pass, word, troubles, commits: () => calls.counts().commit ?? 0 }
}

describe('distress', () => {
  it('is said once in five seconds, however many beats were refused', async () => {
    const { make, pass, word, commits } = stage()
    const say = make()
    for (let at = 0; at < 100; at += 1) say()
    await settled()
    expect(commits()).toBe(1)
    pass(5_000)
    say()
    await settled()
    expect(await word()).toEqual({ firstAtMs: T0, lastAtMs: T0 + 5_000 })
    expect(commits()).toBe(2)
  })

  it('answers with what is being said, so that Lambda can wait for it', async () => {
    const { make, word } = stage()
    const say = make()
    const first = say()
    expect(first).toBeInstanceOf(Promise)
    expect(say()).toBe(first)
    await first
    expect(await word()).toEqual({ firstAtMs: T0, lastAtMs: T0 })
    expect(say()).toBeUndefined()
  })

  it('of several processes is one story, and a later one is another', async () => {
    const { make, pass, word } = stage()
    make()()
    await settled()
    pass(30_000)
    make()()
    await settled()
    expect(await word()).toEqual({ firstAtMs: T0, lastAtMs: T0 + 30_000 })
    pass(90_000)
    make()()
    await settled()
    expect(await word()).toEqual({ firstAtMs: T0 + 120_000, lastAtMs: T0 + 120_000 })
  })

  it('that could not be said is said later, from when it began', async () => {
    const { store, make, pass, word, troubles } = stage()
    const { get } = store.records
    Object.assign(store.records, { get: () => Promise.reject(new Error('throttled')) })
    const say = make()
    await say()
    expect(troubles).toHaveLength(1)
    Object.assign(store.records, { get })
    pass(5_000)
    say()
    await settled()
    expect(await word()).toEqual({ firstAtMs: T0, lastAtMs: T0 + 5_000 })
  })
})

import { describe, expect, it } from 'vitest'
import { refusedBeatReporter } from '../../../functions/api/refused-beats.ts'
import type { RefusedBeats } from '../../../shared/lifecycle/record-names.ts'
import { memoryStore } from '../../../shared/store/memory/store.ts'
import { countingStore, storeCalls } from '../../store-doubles/counting-store.ts'

const T0 = Date.UTC(2026, 0, 1)
const HOUR_MS = 3_600_000
const settled = () => new Promise((resolve) => setImmediate(resolve))

function stage() {
  let nowMs = T0
  const clock = () => nowMs
  const store = memoryStore({ clock })
  const troubles: string[] = []
  const calls = storeCalls()
  const counted = countingStore(store, calls)
  const make = (processId = 'p') => {
    const onTrouble = (what: string) => troubles.push(what)
    const { note, flush } = refusedBeatReporter({ store: counted, clock, processId, onTrouble })
    const refuse = (node: string, uid?: string) =>
      note({ node, atMs: nowMs, ...(uid !== undefined && { uid }) })
    return { refuse, flush }
  }
  const pass = async (ms: number) => {
    await settled()
    nowMs += ms
  }
  const told = async (processId = 'p') =>
    (await store.records.get<RefusedBeats>(`refused-beats/${processId}`))?.value.nodes
  const counts = () => calls.counts()
  return { store: counted, make, pass, told, troubles, counts }
}

describe('refused beats', () => {
  it('are told once in five seconds, however many there are, each with its node', async () => {
    const { make, pass, told, counts } = stage()
    const { refuse, flush } = make()
    for (let at = 0; at < 100; at += 1) refuse(`host-${at % 3}`, `uid-${at % 3}`)
    await pass(0)
    expect(counts().commit).toBe(1)
    expect(await told()).toEqual({ 'host-0': { atMs: T0, uid: 'uid-0' } })
    await pass(4_999)
    expect(flush()).toBeUndefined()
    await pass(1)
    await flush()
    expect(counts().commit).toBe(2)
    expect(await told()).toEqual({
      'host-0': { atMs: T0, uid: 'uid-0' },
      'host-1': { atMs: T0, uid: 'uid-1' },
      'host-2': { atMs: T0, uid: 'uid-2' },
    })
    await pass(60_000)
    expect(flush()).toBeUndefined()
  })

  it('answer with the write under way, so that Lambda can wait for it', async () => {
    const { make, told } = stage()
    const { refuse, flush } = make()
    refuse('a')
    await flush()
    expect(await told()).toEqual({ a: { atMs: T0 } })
    expect(flush()).toBeUndefined()
  })

  it('of a thousand processes are a thousand records: none waits for, or reads, another', async () => {
    const { make, pass, told, counts } = stage()
    for (let at = 0; at < 1_000; at += 1) make(`p${at}`).refuse(`host-${at}`)
    await pass(0)
    expect(counts()).toEqual({ commit: 1_000 })
    expect(await told('p7')).toEqual({ 'host-7': { atMs: T0 } })
  })

  it('that are an hour apart are not an hour of them: the last is what counts', async () => {
    const { make, pass, told } = stage()
    const { refuse } = make()
    refuse('a')
    refuse('b')
    await pass(HOUR_MS - 1)
    refuse('a')
    await pass(5_000)
    refuse('c')
    await pass(0)
    expect(await told()).toEqual({
      a: { atMs: T0 + HOUR_MS - 1 },
      c: { atMs: T0 + HOUR_MS + 4_999 },
    })
  })

  it('are forgotten by the table too', async () => {
    const { make, pass, told } = stage()
    make().refuse('a')
    await pass(HOUR_MS)
    expect(await told()).toBeUndefined()
  })

  it('that could not be told are told later, and a lost answer is no obstacle', async () => {
    const { store, make, pass, told, troubles } = stage()
    const { commit } = store
    const { refuse, flush } = make()
    Object.assign(store, { commit: () => Promise.reject(new Error('throttled')) })
    refuse('a')
    await pass(5_000)
    expect(troubles).toHaveLength(1)
    Object.assign(store, {
      commit: async (steps: Parameters<typeof commit>[0]) => {
        await commit(steps)
        throw new Error('no answer')
      },
    })
    await flush()
    expect(await told()).toEqual({ a: { atMs: T0 } })
    Object.assign(store, { commit })
    await pass(5_000)
    refuse('b')
    await pass(0)
    expect(Object.keys((await told()) ?? {})).toEqual(['a', 'b'])
  })

  it('of more nodes than a record may name are the newest', async () => {
    const { make, pass, told } = stage()
    const { refuse, flush } = make()
    refuse('first')
    for (let at = 0; at < 700; at += 1) refuse(`host-${at}`)
    await pass(5_000)
    await flush()
    const names = Object.keys((await told()) ?? {})
    expect(names).toHaveLength(500)
    expect(names).toContain('host-699')
    expect(names).not.toContain('host-199')
  })

  it('are told though the clock was put back', async () => {
    const { make, pass, told } = stage()
    const { refuse } = make()
    refuse('a')
    await pass(-60_000)
    refuse('b')
    await pass(0)
    expect(Object.keys((await told()) ?? {})).toEqual(['a', 'b'])
  })
})

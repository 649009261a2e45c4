import { describe, expect, it } from 'vitest'
import { memoryStore } from '../../shared/store/memory/store.ts'
import { faultyStore, type StoreFault } from './faulty-store.ts'

const create = {
  do: 'createObject',
  resource: 'nodes',
  object: { metadata: { name: 'n1', uid: 'u1' } },
  fields: {},
} as const
const key = { namespace: '', name: 'n1' }

describe('a store with bad moments', () => {
  it.each([
    { mood: 'throttled', code: 429, done: false },
    { mood: 'failed', code: 503, done: false },
    { mood: 'lost', code: 504, done: true },
    { mood: 'late', code: 504, done: false },
  ] as const)(
    'that is $mood answers $code, the write done: $done',
    async ({ mood, code, done }) => {
      const store = memoryStore({ clock: () => 1_000 })
      const bad = faultyStore(store, (call): StoreFault => (call === 'commit' ? mood : 'none'))
      await expect(bad.commit([create])).rejects.toMatchObject({ code })
      expect((await bad.objects.get('nodes', key)) !== undefined).toBe(done)
    },
  )

  it('does later what is late', async () => {
    const store = memoryStore({ clock: () => 1_000 })
    const late: (() => void)[] = []
    const bad = faultyStore(store, () => 'late', { later: (act) => late.push(act) })
    await expect(bad.commit([create])).rejects.toMatchObject({ code: 504 })
    expect(await store.objects.get('nodes', key)).toBeUndefined()
    for (const act of late) act()
    expect(await store.objects.get('nodes', key)).toBeDefined()
  })

  it('breaks off a sweep', async () => {
    const store = memoryStore({ clock: () => 1_000 })
    const metadata = { namespace: 'kube-node-lease', name: 'n1', uid: 'u1' }
    await store.leases.create({ metadata, spec: { holderIdentity: 'n1' } })
    const bad = faultyStore(store, () => 'failed')
    const seen: unknown[] = []
    const sweep = async () => {
      for await (const page of bad.leases.beats()) seen.push(...page)
    }
    await expect(sweep()).rejects.toMatchObject({ code: 503 })
    expect(seen.length).toBe(1)
  })

  it('may doubt its clock', () => {
    const store = memoryStore({ clock: () => 1_000 })
    const doubtful = faultyStore(store, () => 'none', { skewMs: () => 9_000 })
    expect(doubtful.skewMs()).toBe(9_000)
  })
})

import { describe, expect, it } from 'vitest'
import { memoryStore } from '../../../../shared/store/memory/store.ts'
import type { Store } from '../../../../shared/store/ports.ts'

const pod = (name: string, uid = name) => ({
  metadata: { namespace: 'default', name, uid },
  spec: { nodeName: 'n1' },
})
const fields = { 'spec.nodeName': 'n1' }

describe('an index that lags', () => {
  it('shows the old state until the new one has arrived', async () => {
    const { store, pass } = world(() => 1_000)
    await create(store, 'p1')
    expect(await store.objects.changes('pods', 0)).toEqual([])
    expect(await store.objects.podsOn('n1')).toEqual([])
    pass(1_000)
    const [first] = await store.objects.changes('pods', 0)
    expect(first?.deleted).toBe(false)
    expect((await store.objects.podsOn('n1')).length).toBe(1)

    await remove(store, 'p1')
    pass(999)
    expect(await store.objects.changes('pods', 0)).toEqual([first])
    pass(1)
    const changes = await store.objects.changes('pods', 0)
    expect(changes.map(({ deleted }) => deleted)).toEqual([true])
    expect(await store.objects.podsOn('n1')).toEqual([])
  })

  it('shows changes of one object in their order, however long each takes', async () => {
    const lags = [3_000, 0]
    const { store, pass } = world(() => lags.shift() ?? 0)
    await create(store, 'p1')
    const believed = (await store.objects.get('pods', { namespace: 'default', name: 'p1' }))!
    await store.commit([{ do: 'replaceObject', believed, object: believed.object, fields }])
    expect(await store.objects.changes('pods', 0)).toEqual([])
    pass(3_000)
    const [now, ...more] = await store.objects.changes('pods', 0)
    expect(more).toEqual([])
    expect(now?.before?.version).toBe(believed.version)
  })

  it('may show one object before another that was written first', async () => {
    const lags = [3_000, 0]
    const { store, pass } = world(() => lags.shift() ?? 0)
    await create(store, 'p1')
    await create(store, 'p2')
    const names = async () => (await store.objects.changes('pods', 0)).map(({ key }) => key.name)
    expect(await names()).toEqual(['p2'])
    pass(3_000)
    expect(await names()).toEqual(['p1', 'p2'])
  })

  it('forgets superseded changes, and keeps what it shows', async () => {
    const { store, pass } = world(() => 0)
    await create(store, 'still')
    await create(store, 'busy')
    for (let n = 0; n < 3_000; n += 1) {
      pass(1)
      const believed = (await store.objects.get('pods', { namespace: 'default', name: 'busy' }))!
      await store.commit([{ do: 'replaceObject', believed, object: believed.object, fields }])
    }
    const changes = await store.objects.changes('pods', 0)
    expect(changes.map(({ key }) => key.name)).toEqual(['still', 'busy'])
  })
})

function world(indexLagMs: () => number) {
  let nowMs = 1_000_000
  const store = memoryStore({ clock: () => nowMs, indexLagMs })
  const pass = (ms: number) => {
    nowMs += ms
  }
  return { store, pass }
}

async function create(store: Store, name: string): Promise<void> {
  const step = { do: 'createObject', resource: 'pods', object: pod(name), fields } as const
  expect((await store.commit([step])).kind).toBe('committed')
}

async function remove(store: Store, name: string): Promise<void> {
  const believed = (await store.objects.get('pods', { namespace: 'default', name }))!
  expect((await store.commit([{ do: 'deleteObject', believed }])).kind).toBe('committed')
}

import { describe, expect, it } from 'vitest'
import { objectCache } from '../../../../functions/monitor/read/object-cache.ts'
import { memoryStore } from '../../../../shared/store/memory/store.ts'
import { T0 } from '../small-fleet.ts'

function stage(indexLagMs = 0) {
  let nowMs = T0
  const calls: string[] = []
  const store = memoryStore({ clock: () => nowMs, indexLagMs })
  const { list, changes } = store.objects
  Object.assign(store.objects, {
    list: (...args: Parameters<typeof list>) => calls.push('list') && list(...args),
    changes: (...args: Parameters<typeof changes>) => calls.push('changes') && changes(...args),
  })
  const cache = objectCache(store, 'nodes')
  const write = async (name: string, uid = name) => {
    const object = { metadata: { name, uid } }
    const believed = await store.objects.get('nodes', { namespace: '', name })
    const step = believed
      ? { do: 'replaceObject' as const, believed, object, fields: {} }
      : { do: 'createObject' as const, resource: 'nodes', object, fields: {} }
    await store.commit([step])
  }
  const remove = async (name: string) => {
    const believed = (await store.objects.get('nodes', { namespace: '', name }))!
    await store.commit([{ do: 'deleteObject', believed }])
  }
  const pass = (ms: number) => {
    nowMs += ms
  }
  const refresh = () => cache.refresh(nowMs)
  return { store, cache, calls, write, remove, pass, refresh }
}

describe('the cache of objects', () => {
  it('reads everything once and then only what changed', async () => {
    const { cache, calls, write, remove, pass, refresh } = stage()
    for (const name of ['a', 'b', 'c']) await write(name)
    await refresh()
    pass(60_000)
    await write('a')
    await write('d')
    await remove('b')
    await refresh()
    expect(calls).toEqual(['list', 'changes'])
    expect([...cache.objects.keys()].sort()).toEqual(['/a', '/c', '/d'])
  })

  it('sees a change that the index shows late', async () => {
    const { cache, write, pass, refresh } = stage(3_000)
    await refresh()
    await write('late')
    pass(1_000)
    await refresh()
    expect(cache.objects.size).toBe(0)
    pass(5_000)
    await refresh()
    expect(cache.objects.size).toBe(1)
  })

  it('compares itself with everything every ten minutes', async () => {
    const { calls, pass, refresh } = stage()
    await refresh()
    pass(599_000)
    await refresh()
    pass(1_000)
    await refresh()
    expect(calls).toEqual(['list', 'changes', 'list'])
  })

  it('is not set back by an older read of what we wrote ourselves', async () => {
    const { store, cache, write, refresh } = stage()
    await write('a')
    await refresh()
    const known = cache.objects.get('/a')!
    cache.put({ ...known, version: known.version + 5 })
    cache.put((await store.objects.get('nodes', known.key))!)
    expect(cache.objects.get('/a')?.version).toBe(known.version + 5)
  })

  it('takes a new object of an old name for another one', async () => {
    const { cache, write, remove, pass, refresh } = stage()
    await write('a', 'first')
    await refresh()
    pass(5_000)
    await remove('a')
    pass(1_000)
    await write('a', 'second')
    await refresh()
    expect(cache.objects.get('/a')?.uid).toBe('second')
  })
})

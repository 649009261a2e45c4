import { describe, expect, it } from 'vitest'
import { idle } from './fake-time.ts'
import { shown, thing, watchWorld } from './watch-world.ts'

const NODES = '/api/v1/nodes?watch=true'

describe('a watch without a version', () => {
  it.each(['', '&resourceVersion=0'])(
    'shows everything as ADDED, then what happens (%s)',
    async (from) => {
      const w = watchWorld()
      await w.put('nodes', thing('nodes', 'a'))
      await w.put('nodes', thing('nodes', 'b'))
      const watch = await w.watch(NODES + from)
      expect(watch.status).toBe(200)
      expect(watch.headers.get('content-type')).toBe('application/json')
      await idle()
      expect(shown(watch.take())).toEqual(['ADDED a', 'ADDED b'])

      await w.put('nodes', thing('nodes', 'c'))
      await w.put('nodes', thing('nodes', 'a', { x: 'y' }))
      const version = await w.drop('nodes', { namespace: '', name: 'b' })
      await w.time.advance(1_000)
      const frames = watch.take()
      expect(shown(frames)).toEqual(['ADDED c', 'MODIFIED a', 'DELETED b'])
      expect(frames.at(-1)!.object.metadata.resourceVersion).toBe(String(version))
      expect(frames[0]!.object).toMatchObject({ kind: 'Node', apiVersion: 'v1' })
    },
  )

  it('says nothing twice', async () => {
    const w = watchWorld({ indexLagMs: () => 3_000 })
    await w.put('nodes', thing('nodes', 'a'))
    const watch = await w.watch(NODES)
    await w.time.advance(30_000)
    expect(shown(watch.take())).toEqual(['ADDED a'])
    await w.put('nodes', thing('nodes', 'a', { x: 'y' }))
    await w.time.advance(30_000)
    expect(shown(watch.take())).toEqual(['MODIFIED a'])
  })
})

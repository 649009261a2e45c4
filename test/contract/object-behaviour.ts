import { describe, expect, it } from 'vitest'
import type { Node } from '../../shared/kube/objects.ts'
import { maxObjectBytes } from '../../shared/store/object-state.ts'
import { add, type MakeRig, node, replace, replacing } from './rig.ts'

const at = (name: string, namespace = '') => ({ namespace, name })
const images = [{ names: ['registry/app:1'], sizeBytes: 5 }]

export function objectBehaviour(make: MakeRig): void {
  describe('an object', () => {
    it('comes back as it was stored', async () => {
      const { store, clock } = await make()
      const object = node('n1', { spec: { taints: [{ key: 'ä', effect: 'NoSchedule' }] } })
      const fields = { 'metadata.name': 'n1', 'spec.unschedulable': '' }
      const step = { do: 'createObject', resource: 'nodes', object, fields } as const
      const commit = await store.commit([{ ...step, receivedAtMs: clock() }])
      if (commit.kind !== 'committed') throw new Error(commit.kind)
      const [version] = commit.versions
      const { writtenBy: _id, ...stored } = (await store.objects.get('nodes', at('n1')))!
      expect(stored).toEqual({
        resource: 'nodes',
        key: at('n1'),
        uid: object.metadata.uid,
        version,
        createdVersion: version,
        labelsSince: version,
        fields,
        object: { ...object, metadata: { ...object.metadata, resourceVersion: String(version) } },
        receivedAtMs: clock(),
      })
    })

    it('is created once, and the second is told what is there', async () => {
      const { store, other } = await make()
      const found = await add(store, 'nodes', node('n1'))
      const again = {
        do: 'createObject',
        resource: 'nodes',
        object: node('n1'),
        fields: {},
      } as const
      expect(await other.commit([again])).toEqual({ kind: 'outrun', steps: [0], found })
    })

    it('is replaced only by who saw it last', async () => {
      const { store, other } = await make()
      const old = await add(store, 'nodes', node('n1'))
      const now = await replace(other, old, { labels: { zone: 'b' } })
      expect(now.version).toBeGreaterThan(old.version)
      expect(now.createdVersion).toBe(old.version)
      const late = await store.commit([replacing(old, { labels: { zone: 'c' } })])
      expect(late).toEqual({ kind: 'outrun', steps: [0], found: now })
      expect(await store.commit([{ do: 'deleteObject', believed: old }])).toEqual({
        kind: 'outrun',
        steps: [0],
        found: now,
      })
    })

    it('that is gone can be neither replaced nor deleted nor confirmed', async () => {
      const { store } = await make()
      const old = await add(store, 'nodes', node('n1'))
      await store.commit([{ do: 'deleteObject', believed: old }])
      expect(await store.objects.get('nodes', at('n1'))).toBeUndefined()
      for (const step of [
        replacing(old, {}),
        { do: 'deleteObject', believed: old },
        { do: 'confirmObject', believed: old },
      ] as const)
        expect(await store.commit([step])).toEqual({ kind: 'outrun', steps: [0] })
    })

    it('that must be absent is confirmed until it is there', async () => {
      const { store } = await make()
      const step = { do: 'confirmNoObject', resource: 'nodes', key: at('n1') } as const
      const beside = { do: 'putRecord', name: 'beside', value: 1 } as const
      expect((await store.commit([step, beside])).kind).toBe('committed')
      const now = await add(store, 'nodes', node('n1'))
      const again = { ...beside, name: 'again' }
      expect(await store.commit([step, again])).toEqual({ kind: 'outrun', steps: [0] })
      expect(await store.records.get('again')).toBeUndefined()
      await store.commit([{ do: 'deleteObject', believed: now }])
      expect((await store.commit([step, again])).kind).toBe('committed')
    })

    it('over the limit is refused before anything is written', async () => {
      const { store } = await make()
      const big = node('big', { status: { phase: 'x'.repeat(maxObjectBytes) } })
      const small = {
        do: 'createObject',
        resource: 'nodes',
        object: node('n1'),
        fields: {},
      } as const
      const commit = store.commit([small, { ...small, object: big }])
      await expect(commit).rejects.toMatchObject({ code: 413 })
      expect((await store.objects.list('nodes', {})).items).toEqual([])
    })

    it('takes the largest that is allowed', async () => {
      const { store } = await make()
      const bare = node('big', { status: { phase: '' } })
      const room = maxObjectBytes - Buffer.byteLength(JSON.stringify(bare))
      const stored = await add(store, 'nodes', {
        ...bare,
        status: { phase: 'x'.repeat(room) },
      } as Node)
      await replace(store, stored, { labels: { zone: 'b' } })
    })

    it('is gone at its time, though nothing has removed it', async () => {
      const { store, clock } = await make()
      const object = node('e1')
      const step = { do: 'createObject', resource: 'events', object, fields: {} } as const
      await store.commit([{ ...step, expiresAtMs: clock() + 5_000 }])
      const old = (await store.objects.get('events', at('e1')))!
      clock.advance(6_000)
      expect(await store.objects.get('events', at('e1'))).toBeUndefined()
      expect(await store.objects.read('events', [at('e1')])).toEqual([])
      expect((await store.objects.list('events', {})).items).toEqual([])
      expect(await store.objects.changes('events', 0)).toEqual([])
      expect(await store.commit([replacing(old, {})])).toEqual({ kind: 'outrun', steps: [0] })
      expect((await store.commit([{ ...step, object: node('e1') }])).kind).toBe('committed')
    })
  })

  describe('the images of a node', () => {
    const withImages = (name: string) => node(name, { status: { images, phase: 'Running' } })

    it('are read only when the whole node is asked for', async () => {
      const { store } = await make()
      const stored = await add(store, 'nodes', withImages('n1'))
      expect((stored.object as Node).status).toEqual({ images, phase: 'Running' })
      const lean = (await store.objects.get('nodes', at('n1'), 'lean'))!
      expect((lean.object as Node).status).toEqual({ phase: 'Running' })
      const listed = await store.objects.list('nodes', {})
      expect(listed.items).toEqual([stored])
      expect((await store.objects.list('nodes', { depth: 'lean' })).items).toEqual([lean])
      expect(await store.objects.read('nodes', [at('n1')], 'lean')).toEqual([lean])
    })

    it('stay when a lean node is replaced', async () => {
      const { store } = await make()
      await add(store, 'nodes', withImages('n1'))
      const lean = (await store.objects.get('nodes', at('n1'), 'lean'))!
      const now = await replace(store, lean, { labels: { zone: 'b' } })
      expect((now.object as Node).status).toEqual({ images, phase: 'Running' })
      expect(now.object.metadata.labels).toEqual({ zone: 'b' })
    })

    it('change, go and come with a whole node', async () => {
      const { store } = await make()
      const first = await add(store, 'nodes', withImages('n1'))
      const other = [{ names: ['registry/app:2'] }]
      const second = await replace(store, first, {}, { status: { images: other } })
      expect((second.object as Node).status).toEqual({ images: other })
      const third = await replace(store, second, {}, { status: {} })
      expect((third.object as Node).status).toEqual({})
      const fourth = await replace(store, third, {}, { status: { images } })
      expect((fourth.object as Node).status).toEqual({ images })
      await store.commit([{ do: 'deleteObject', believed: fourth }])
      const again = await add(store, 'nodes', node('n1'))
      expect((again.object as Node).status).toBeUndefined()
    })
  })
}

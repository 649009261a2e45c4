import { describe, expect, it } from 'vitest'
import type { Node } from '../../shared/kube/objects.ts'
import { maxObjectBytes, tombstoneKeptMs } from '../../shared/store/object-state.ts'
import type { Step, Store, StoredObject } from '../../shared/store/ports.ts'
import { add, type MakeRig, node, pod, podFields } from './rig.ts'

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
      expect(await store.objects.get('nodes', at('n1'))).toEqual({
        resource: 'nodes',
        key: at('n1'),
        uid: object.metadata.uid,
        version,
        createdVersion: version,
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

  describe('a list', () => {
    it('is in order of namespace and name, page by page', async () => {
      const { store } = await make()
      const names = ['default', 'kube-system', 'a-b', 'a'].flatMap((namespace) =>
        Array.from({ length: 12 }, (_, n) => ({ namespace, name: `p${(n * 7) % 12}` })),
      )
      for (const { namespace, name } of names) await add(store, 'pods', pod(namespace, name))
      const expected = names.map(({ namespace, name }) => `${namespace}/${name}`).sort()
      expect(await paged(store, {}, 5)).toEqual(expected)
      expect(await paged(store, {}, 48)).toEqual(expected)
      const inA = expected.filter((key) => key.startsWith('a/'))
      expect(await paged(store, { namespace: 'a' }, 5)).toEqual(inA)
      expect(await paged(store, { namespace: 'a' }, 12)).toEqual(inA)
      const all = await store.objects.list('pods', {})
      expect(all).toMatchObject({ more: false, poisoned: [] })
      expect(all.items.length).toBe(48)
    })

    it('says whether there is more, exactly', async () => {
      const { store } = await make()
      for (const name of ['a', 'b', 'c']) await add(store, 'nodes', node(name))
      expect((await store.objects.list('nodes', { limit: 2 })).more).toBe(true)
      expect((await store.objects.list('nodes', { limit: 3 })).more).toBe(false)
    })

    it('that goes on from elsewhere stays in its namespace', async () => {
      const { store } = await make()
      await add(store, 'pods', pod('m', 'p'))
      const from = (after: { namespace: string; name: string }) =>
        store.objects.list('pods', { namespace: 'm', after })
      expect((await from(at('p', 'a'))).items.length).toBe(1)
      expect((await from(at('p', 'z'))).items.length).toBe(0)
    })
  })

  describe('many reads at once', () => {
    it('give what is there, in the order asked for', async () => {
      const { store } = await make()
      const names = Array.from({ length: 120 }, (_, n) => `n${n}`)
      await Promise.all(names.map((name) => add(store, 'nodes', node(name))))
      const keys = [...names].reverse().flatMap((name) => [at(name), at(`no-${name}`)])
      const found = await store.objects.read('nodes', keys)
      expect(found.map(({ key }) => key.name)).toEqual([...names].reverse())
    })
  })

  describe('pods of a node', () => {
    it('are those bound to it now', async () => {
      const { store } = await make()
      await add(store, 'pods', pod('default', 'p1', 'n1'), podFields('n1'))
      const p2 = await add(store, 'pods', pod('default', 'p2'), podFields())
      await add(store, 'pods', pod('default', 'p3', 'n2'), podFields('n2'))
      const bound = { ...p2.object, spec: { nodeName: 'n1' } }
      const bind = {
        do: 'replaceObject',
        believed: p2,
        object: bound,
        fields: podFields('n1'),
      } as const
      await store.commit([bind])
      const pods = await store.objects.podsOn('n1')
      expect(pods.map(({ key }) => key.name).sort()).toEqual(['p1', 'p2'])
      await store.commit([{ do: 'deleteObject', believed: pods[0]! }])
      expect((await store.objects.podsOn('n1')).length).toBe(1)
      expect(await store.objects.podsOn('n3')).toEqual([])
    })
  })

  describe('changes', () => {
    it('tell the last state of each object with what it was before', async () => {
      const { store, clock } = await make()
      const first = await add(store, 'nodes', node('n1'), { 'spec.unschedulable': '' })
      clock.advance(10)
      await add(store, 'nodes', node('n2'))
      clock.advance(10)
      const fields = { 'spec.unschedulable': 'true' }
      const now = await replace(store, first, { labels: { zone: 'b' } }, {}, fields)
      const changes = await store.objects.changes('nodes', 0)
      expect(changes.map(({ key }) => key.name)).toEqual(['n2', 'n1'])
      expect(changes[1]).toEqual({
        key: at('n1'),
        uid: first.uid,
        version: now.version,
        deleted: false,
        labels: { zone: 'b' },
        fields,
        before: {
          version: first.version,
          labels: { zone: 'a' },
          fields: { 'spec.unschedulable': '' },
        },
        createdVersion: first.version,
      })
      expect(changes[0]).not.toHaveProperty('before')
      expect(await store.objects.changes('nodes', now.version)).toEqual([changes[1]])
      expect(await store.objects.changes('nodes', now.version + 1)).toEqual([])
      expect(await store.objects.changes('pods', 0)).toEqual([])
    })

    it('tell each death, also of objects of one name, for half an hour', async () => {
      const { store, clock } = await make()
      const fields = { 'metadata.name': 'n1' }
      const first = await add(store, 'nodes', node('n1'), fields)
      clock.advance(1)
      await store.commit([{ do: 'deleteObject', believed: first }])
      clock.advance(1)
      const second = await add(store, 'nodes', node('n1'), fields)
      clock.advance(1)
      const commit = await store.commit([{ do: 'deleteObject', believed: second }])
      if (commit.kind !== 'committed') throw new Error(commit.kind)
      const changes = await store.objects.changes('nodes', 0)
      expect(changes.map(({ uid, deleted }) => [uid, deleted])).toEqual([
        [first.uid, true],
        [second.uid, true],
      ])
      const labels = { zone: 'a' }
      expect(changes[1]).toEqual({
        key: at('n1'),
        uid: second.uid,
        version: commit.versions[0],
        deleted: true,
        labels,
        fields,
        before: { version: second.version, labels, fields },
        createdVersion: second.version,
      })
      clock.advance(tombstoneKeptMs + 1_000)
      expect(await store.objects.changes('nodes', 0)).toEqual([])
    })
  })
}

function replacing(
  believed: StoredObject,
  metadata: StoredObject['object']['metadata'],
  parts: Record<string, unknown> = {},
  fields: Record<string, string> = {},
): Step {
  const object = {
    ...believed.object,
    ...parts,
    metadata: { ...believed.object.metadata, ...metadata },
  }
  return { do: 'replaceObject', believed, object, fields }
}

async function replace(
  store: Store,
  ...change: Parameters<typeof replacing>
): Promise<StoredObject> {
  const commit = await store.commit([replacing(...change)])
  if (commit.kind !== 'committed') throw new Error('expected the object to be replaced')
  const [{ resource, key }] = change
  return (await store.objects.get(resource, key))!
}

async function paged(store: Store, where: { namespace?: string }, limit: number) {
  const names: string[] = []
  let after: StoredObject['key'] | undefined
  for (;;) {
    const page = await store.objects.list('pods', { ...where, limit, ...(after && { after }) })
    expect(page.items.length).toBeLessThanOrEqual(limit)
    names.push(...page.items.map(({ key }) => `${key.namespace}/${key.name}`))
    if (!page.more) return names
    after = page.items.at(-1)!.key
  }
}

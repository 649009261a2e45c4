import { describe, expect, it } from 'vitest'
import { tombstoneKeptMs } from '../../shared/store/object-state.ts'
import type { Store, StoredObject } from '../../shared/store/ports.ts'
import { add, type MakeRig, node, pod, podFields, replace } from './rig.ts'

const at = (name: string, namespace = '') => ({ namespace, name })

export function queryBehaviour(make: MakeRig): void {
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
      expect(await store.objects.countPodsOn('n1')).toBe(1)
      expect(await store.objects.countPodsOn('n3')).toBe(0)
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
          labelsSince: first.version,
        },
        createdVersion: first.version,
      })
      expect(changes[0]).not.toHaveProperty('before')
      expect(await store.objects.changes('nodes', now.version)).toEqual([changes[1]])
      expect(await store.objects.changes('nodes', now.version + 1)).toEqual([])
      expect(await store.objects.changes('pods', 0)).toEqual([])
    })

    it('tell since when labels were what they were before', async () => {
      const { store, clock } = await make()
      const past = async () => (await store.objects.changes('nodes', 0)).at(-1)?.before
      const first = await add(store, 'nodes', node('n1'))
      clock.advance(10)
      const second = await replace(store, first, { labels: { zone: 'a' } })
      clock.advance(10)
      const third = await replace(store, second, { labels: { zone: 'b' } })
      expect(await past()).toMatchObject({ version: second.version, labelsSince: first.version })
      clock.advance(10)
      const read = await store.objects.get('nodes', third.key)
      expect(read?.labelsSince).toBe(third.version)
      await store.commit([{ do: 'deleteObject', believed: read! }])
      expect(await past()).toMatchObject({ version: third.version, labelsSince: third.version })
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
        before: { version: second.version, labels, fields, labelsSince: second.version },
        createdVersion: second.version,
      })
      clock.advance(tombstoneKeptMs + 1_000)
      expect(await store.objects.changes('nodes', 0)).toEqual([])
    })
  })
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

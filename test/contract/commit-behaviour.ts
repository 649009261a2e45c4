import { describe, expect, it } from 'vitest'
import type { Beat } from '../../shared/lifecycle/world.ts'
import type { Store, WriteStep } from '../../shared/store/ports.ts'
import { all } from './lease-behaviour.ts'
import { add, created, held, hostKey, lease, type MakeRig, node, pod, podFields } from './rig.ts'

export function commitBehaviour(make: MakeRig): void {
  describe('several steps', () => {
    it('happen together', async () => {
      const { store } = await make()
      const old = await add(store, 'nodes', node('host-1'))
      const before = await created(store, lease(hostKey, held('host-1')))
      const object = { ...old.object, spec: { unschedulable: true } }
      const commit = await store.commit([
        { do: 'declareSilent', lease: { key: hostKey, version: before.version }, declaredAtMs: 77 },
        { do: 'replaceObject', believed: old, object, fields: {} },
        { do: 'putRecord', name: 'zones/a', value: { tokens: 1 } },
      ])
      if (commit.kind !== 'committed') throw new Error(commit.kind)
      const [none, version, record] = commit.versions
      expect(none).toBe(0)
      expect(version).toBeGreaterThan(old.version)
      const after = (await store.leases.get(hostKey))!
      expect(after).toEqual({ ...before, declaredAtMs: 77 })
      expect((await store.objects.get('nodes', old.key))?.object).toMatchObject({
        spec: { unschedulable: true },
      })
      expect(await store.records.get('zones/a')).toEqual({
        name: 'zones/a',
        version: record,
        value: { tokens: 1 },
      })
    })

    it('happen not at all when one belief is wrong, and name the wrong ones', async () => {
      const { store } = await make()
      const one = await add(store, 'nodes', node('n1'))
      const two = await add(store, 'nodes', node('n2'))
      await store.commit([{ do: 'deleteObject', believed: two }])
      const commit = await store.commit([
        { do: 'replaceObject', believed: one, object: one.object, fields: {} },
        { do: 'deleteObject', believed: two },
        { do: 'confirmNoLease', key: hostKey },
        {
          do: 'declareSilent',
          lease: { key: { ...hostKey, name: 'no' }, version: 1 },
          declaredAtMs: 1,
        },
      ])
      expect(commit).toEqual({ kind: 'outrun', steps: [1, 3] })
      expect(await store.objects.get('nodes', one.key)).toEqual(one)
    })

    it('may be a whole transaction of marks', async () => {
      const { store } = await make()
      const names = Array.from({ length: 50 }, (_, n) => `host-${n}`)
      const marks = await Promise.all(names.map((name) => mark(store, name)))
      const commit = await store.commit(marks.flat())
      if (commit.kind !== 'committed') throw new Error(commit.kind)
      expect(commit.versions.filter((version) => version > 0).length).toBe(50)
      const leases = await store.leases.read(names.map((name) => ({ ...hostKey, name })))
      expect(leases.map(({ declaredAtMs }) => declaredAtMs)).toEqual(names.map(() => 9))
    })

    it.each([
      { when: 'two touch one item', steps: twice },
      { when: 'there are too many', steps: tooMany },
    ])('that no table can take are a mistake of the caller: $when', async ({ steps }) => {
      const { store } = await make()
      await expect(store.commit(steps)).rejects.toThrow(/a commit|one commit/)
    })

    it('that are none change nothing', async () => {
      const { store } = await make()
      expect(await store.commit([])).toEqual({ kind: 'committed', versions: [] })
    })
  })

  describe('a beat', () => {
    it('that came first beats the verdict', async () => {
      const { store } = await make()
      const [declare, replace] = await mark(store, 'host-1')
      await store.leases.renew({ key: hostKey, spec: held('host-1', 1) })
      expect(await store.commit([declare!, replace!])).toEqual({ kind: 'outrun', steps: [0] })
    })

    it('that is the first of all beats a verdict on silence', async () => {
      const { store } = await make()
      const steps: WriteStep[] = [{ do: 'confirmNoLease', key: hostKey }]
      expect((await store.commit(steps)).kind).toBe('committed')
      await created(store, lease(hostKey, held('host-1')))
      expect(await store.commit(steps)).toEqual({ kind: 'outrun', steps: [0] })
    })
  })

  describe('the own grace of a node', () => {
    const note = (ownGraceMs?: number): WriteStep => ({
      do: 'setOwnGrace',
      nodeName: 'host-1',
      ...(ownGraceMs && { ownGraceMs }),
    })

    it('is kept on the lease through beats and replacements, and leaves the version', async () => {
      const { store } = await make()
      const before = await created(store, lease(hostKey, held('host-1')))
      await store.commit([note(20_000)])
      expect(await store.leases.get(hostKey)).toEqual({ ...before, ownGraceMs: 20_000 })
      const spec = held('host-1', 1)
      const beat = await store.leases.renew({ key: hostKey, spec, version: before.version })
      expect(beat).toMatchObject({ kind: 'renewed', lease: { ownGraceMs: 20_000 } })
      const now = (await store.leases.get(hostKey))!
      await store.leases.replace(now.object, now)
      const beats = await all<Beat>(store.leases.beats())
      expect(beats).toMatchObject([{ name: 'host-1', ownGraceMs: 20_000 }])
    })

    it('can be taken away, and needs a lease', async () => {
      const { store } = await make()
      expect(await store.commit([note(20_000)])).toEqual({ kind: 'outrun', steps: [0] })
      await store.commit([{ do: 'raiseInbox', nodeName: 'host-1' }])
      expect(await store.commit([note(20_000)])).toEqual({ kind: 'outrun', steps: [0] })
      const before = await created(store, lease(hostKey, held('host-1')))
      await store.commit([note(20_000)])
      await store.commit([note()])
      expect(await store.leases.get(hostKey)).toEqual(before)
    })
  })

  describe('an inbox', () => {
    const raise: WriteStep = { do: 'raiseInbox', nodeName: 'host-1' }

    it('is raised by each step and leaves the version as it is', async () => {
      const { store } = await make()
      const before = await created(store, lease(hostKey, held('host-1')))
      const object = pod('default', 'p1', 'host-1')
      const create = { do: 'createObject', resource: 'pods', object, fields: podFields('host-1') }
      await store.commit([create as WriteStep, raise, raise])
      expect(await store.leases.get(hostKey)).toEqual({ ...before, inbox: 2 })
      const spec = held('host-1', 1)
      const beat = await store.leases.renew({ key: hostKey, spec, version: before.version })
      expect(beat).toMatchObject({ kind: 'renewed', lease: { inbox: 2 } })
    })

    it('survives a replacement that knew nothing of it', async () => {
      const { store } = await make()
      const before = await created(store, lease(hostKey, held('host-1')))
      await store.commit([raise])
      const version = before.version
      await store.commit([
        { do: 'declareSilent', lease: { key: hostKey, version }, declaredAtMs: 5 },
      ])
      const outcome = await store.leases.replace(before.object, before)
      expect(outcome).toMatchObject({ kind: 'replaced', now: { inbox: 1, declaredAtMs: 5 } })
    })

    it('waits for a lease that is not there yet, and goes with a node', async () => {
      const { store } = await make()
      await store.commit([raise])
      await store.commit([raise])
      expect(await store.leases.get(hostKey)).toBeUndefined()
      expect((await created(store, lease(hostKey, held('host-1')))).inbox).toBe(2)
      await store.commit([{ do: 'dropLease', key: hostKey }, raise])
      expect((await created(store, lease(hostKey, held('host-1')))).inbox).toBe(0)
    })
  })

  describe('a node', () => {
    it('takes its lease along', async () => {
      const { store } = await make()
      const believed = await add(store, 'nodes', node('host-1'))
      await created(store, lease(hostKey, held('host-1')))
      const steps: WriteStep[] = [
        { do: 'deleteObject', believed },
        { do: 'dropLease', key: hostKey },
      ]
      expect((await store.commit(steps)).kind).toBe('committed')
      expect(await store.leases.get(hostKey)).toBeUndefined()
      expect((await store.commit([{ do: 'dropLease', key: hostKey }])).kind).toBe('committed')
    })
  })

  describe('a record', () => {
    it('is put, replaced, confirmed and dropped by its version', async () => {
      const { store } = await make()
      const name = 'zones/a'
      const first = await put(store, { do: 'putRecord', name, value: 1 })
      expect(await store.commit([{ do: 'putRecord', name, value: 2 }])).toMatchObject(outrun)
      const second = await put(store, { do: 'putRecord', name, value: 2, believed: first })
      expect(second).toBeGreaterThan(first)
      const stale: readonly WriteStep[] = [
        { do: 'putRecord', name, value: 3, believed: first },
        { do: 'confirmRecord', name, believed: first },
        { do: 'confirmRecord', name },
        { do: 'dropRecord', name, believed: first },
      ]
      for (const step of stale) expect(await store.commit([step])).toEqual(outrun)
      await put(store, { do: 'confirmRecord', name, believed: second })
      await put(store, { do: 'dropRecord', name, believed: second })
      await put(store, { do: 'confirmRecord', name })
      expect(await store.records.get(name)).toBeUndefined()
    })

    it('is listed by prefix in order, until its time', async () => {
      const { store, clock } = await make()
      const expiresAtMs = clock() + 5_000
      for (const name of ['slots/2', 'zones/b', 'zones/a', 'zones-x'])
        await put(store, { do: 'putRecord', name, value: { name } })
      await put(store, { do: 'putRecord', name: 'zones/c', value: {}, expiresAtMs })
      const names = async () => (await store.records.list('zones/')).map(({ name }) => name)
      expect(await names()).toEqual(['zones/a', 'zones/b', 'zones/c'])
      clock.advance(6_000)
      expect(await names()).toEqual(['zones/a', 'zones/b'])
      expect(await store.records.get('zones/c')).toBeUndefined()
      await put(store, { do: 'putRecord', name: 'zones/c', value: {} })
    })
  })
}

const outrun = { kind: 'outrun', steps: [0] }
const twice: WriteStep[] = [
  { do: 'putRecord', name: 'a', value: 1 },
  { do: 'confirmRecord', name: 'a' },
]
const tooMany: WriteStep[] = Array.from({ length: 101 }, (_, n) => ({
  do: 'putRecord',
  name: `r${n}`,
  value: 1,
}))

async function put(store: Store, step: WriteStep): Promise<number> {
  const commit = await store.commit([step])
  if (commit.kind !== 'committed') throw new Error(`${step.do} was outrun`)
  return commit.versions[0]!
}

async function mark(store: Store, name: string): Promise<readonly WriteStep[]> {
  const key = { ...hostKey, name }
  const { version } = await created(store, lease(key, held(name)))
  await add(store, 'nodes', node(name, { status: { images: [{ names: ['x'] }] } }))
  const believed = (await store.objects.get('nodes', { namespace: '', name }, 'lean'))!
  return [
    { do: 'declareSilent', lease: { key, version }, declaredAtMs: 9 },
    { do: 'replaceObject', believed, object: believed.object, fields: {} },
  ]
}

/** Namespaces from their creation to the end: the api takes the requests, the monitor empties. */
import { describe, expect, it } from 'vitest'
import type { Store } from '../../../../../shared/store/ports.ts'
import { nodeName } from '../../../../builders/objects.ts'
import { lease, pod, type World, world } from '../../../api/world.ts'
import { SmallFleet } from '../../small-fleet.ts'

const PATH = '/api/v1/namespaces'
const TEAM = `${PATH}/team`
const PODS = `${TEAM}/pods`
const EVENTS = `${TEAM}/events`
const LEASES = '/apis/coordination.k8s.io/v1/namespaces/team/leases'
const event = (name: string) => ({
  metadata: { name },
  involvedObject: { kind: 'Pod', name: 'p', namespace: 'team' },
})

/** As long after the deletion as requests that were under way may take. */
async function later(fleet: SmallFleet): Promise<void> {
  fleet.nowMs += 5_001
  await fleet.tick()
}

interface Both {
  readonly fleet: SmallFleet
  readonly api: World
}

async function withTeam(
  { finalizers, store }: { finalizers?: readonly string[]; store?: (store: Store) => Store } = {},
  fleet = new SmallFleet(),
): Promise<Both> {
  const api = world({ store: store ? store(fleet.store) : fleet.store, clock: fleet.clock })
  const spec = finalizers ? { spec: { finalizers } } : {}
  const made = await api.call('POST', PATH, { body: { metadata: { name: 'team' }, ...spec } })
  expect(made.status).toBe(201)
  return { fleet, api }
}

async function fill({ api }: Both): Promise<void> {
  const created = [
    await api.call('POST', PODS, { body: pod('p') }),
    await api.call('POST', LEASES, { body: lease('leader', { holderIdentity: 'a' }) }),
    await api.call('POST', EVENTS, { body: event('e') }),
  ]
  expect(created.map(({ status }) => status)).toEqual([201, 201, 201])
}

const contents = async ({ api }: Both) =>
  (await Promise.all([PODS, LEASES, EVENTS].map((path) => api.call('GET', path)))).flatMap(
    ({ body }) => body.items,
  )
const statusOf = async ({ api }: Both) => (await api.call('GET', TEAM)).status
const records = async ({ fleet }: Both) => await fleet.store.records.list('terminating/')
const conditionsOf = async ({ api }: Both) =>
  Object.fromEntries(
    (await api.call('GET', TEAM)).body.status.conditions.map(
      (one: { type: string; status: string; message: string }) => [one.type, one],
    ),
  )

describe('a namespace that is deleted', () => {
  it('is Terminating, takes nothing new, is emptied and goes', async () => {
    const both = await withTeam()
    await fill(both)
    const { api, fleet } = both
    const deleted = await api.call('DELETE', TEAM)
    expect(deleted.status).toBe(200)
    expect(deleted.body).toMatchObject({
      kind: 'Namespace',
      spec: { finalizers: ['kubernetes'] },
      status: { phase: 'Terminating' },
    })
    expect(deleted.body.metadata.deletionTimestamp).toBeDefined()
    const refused = await api.call('POST', PODS, { body: pod('late') })
    expect([refused.status, refused.body.details.causes[0].reason]).toEqual([
      403,
      'NamespaceTerminating',
    ])
    const byPut = { body: lease('late', {}) }
    expect((await api.call('PUT', `${LEASES}/late`, byPut)).status).toBe(403)
    // What is there can still be changed and deleted.
    expect((await api.call('PATCH', `${PODS}/p`, { body: {} })).status).toBe(200)
    const again = await api.call('DELETE', TEAM)
    expect([again.status, again.body]).toEqual([200, deleted.body])
    await fleet.tick()
    expect(await contents(both)).toHaveLength(3)

    await later(fleet)
    expect(await contents(both)).toEqual([])
    expect(await statusOf(both)).toBe(404)
    expect((await api.call('POST', PODS, { body: pod('late') })).status).toBe(404)
    await fleet.run(60_000)
    expect(await records(both)).toEqual([])
  })

  it('waits for pods that run, and leaves the rest to them until they have ended', async () => {
    const both = await withTeam()
    const { api, fleet } = both
    await fleet.addNodes(3, ['a'])
    await api.call('POST', PODS, { body: pod('p', { nodeName: nodeName(0) }) })
    await api.call('POST', LEASES, { body: lease('leader', { holderIdentity: 'p' }) })
    const key = { namespace: 'kube-node-lease', name: nodeName(0) }
    const inbox = (await fleet.store.leases.get(key))!.inbox
    await api.call('DELETE', TEAM)
    await fleet.run(15_000, fleet.names)
    const { body } = await api.call('GET', `${PODS}/p`)
    expect(body.metadata.deletionGracePeriodSeconds).toBe(30)
    // Its host is told, once.
    expect((await fleet.store.leases.get(key))!.inbox).toBe(inbox + 1)
    expect((await api.call('GET', LEASES)).body.items).toHaveLength(1)
    expect(await conditionsOf(both)).toMatchObject({
      NamespaceDeletionContentFailure: { status: 'False' },
      NamespaceContentRemaining: {
        status: 'True',
        message: 'Some resources are remaining: pods. has 1 resource instances',
      },
      NamespaceFinalizersRemaining: { status: 'False' },
    })
    const version = (await api.call('GET', TEAM)).body.metadata.resourceVersion
    await fleet.run(15_000, fleet.names)
    // Nothing has changed, so nothing is written.
    expect((await api.call('GET', TEAM)).body.metadata.resourceVersion).toBe(version)

    await api.call('DELETE', `${PODS}/p?gracePeriodSeconds=0`)
    await fleet.run(15_000, fleet.names)
    expect(await contents(both)).toEqual([])
    expect(await statusOf(both)).toBe(404)
  })

  it('says which finalizers hold its content', async () => {
    const both = await withTeam()
    const { api, fleet } = both
    const held = { finalizers: ['example.com/hold'] }
    await api.call('POST', LEASES, { body: lease('leader', {}, held) })
    await api.call('DELETE', TEAM)
    await fleet.run(15_000)
    expect(await conditionsOf(both)).toMatchObject({
      NamespaceContentRemaining: {
        message:
          'Some resources are remaining: leases.coordination.k8s.io has 1 resource instances',
      },
      NamespaceFinalizersRemaining: {
        status: 'True',
        message:
          'Some content in the namespace has finalizers remaining: example.com/hold in 1 resource instances',
      },
    })
    const freed = { body: { metadata: { finalizers: null } } }
    expect((await api.call('PATCH', `${LEASES}/leader`, freed)).status).toBe(200)
    await fleet.run(20_000)
    expect(await statusOf(both)).toBe(404)
  })

  it('is held by a finalizer of its own after it was emptied', async () => {
    const both = await withTeam({ finalizers: ['example.com/mine'] })
    await fill(both)
    const { api, fleet } = both
    await api.call('DELETE', TEAM)
    await fleet.run(15_000)
    const { body } = await api.call('GET', TEAM)
    expect(body.spec.finalizers).toEqual(['example.com/mine'])
    expect(await contents(both)).toEqual([])
    expect(await records(both)).toEqual([])
    const last = await api.call('PUT', `${TEAM}/finalize`, { body: { ...body, spec: {} } })
    expect(last.status).toBe(200)
    expect(await statusOf(both)).toBe(404)
  })

  it('that lost its finalizers by hand leaves nothing behind either', async () => {
    const both = await withTeam()
    await fill(both)
    const { api, fleet } = both
    const { body } = await api.call('DELETE', TEAM)
    await api.call('PUT', `${TEAM}/finalize`, { body: { ...body, spec: { finalizers: [] } } })
    expect(await statusOf(both)).toBe(404)
    await fleet.run(60_000)
    expect(await contents(both)).toEqual([])
    expect(await records(both)).toEqual([])
  })

  it('is emptied in bounded parts, and the next monitor goes on where one stopped', async () => {
    const both = await withTeam()
    const { api, fleet } = both
    for (let at = 0; at < 1_200; at++) await api.call('POST', EVENTS, { body: event(`e${at}`) })
    await api.call('DELETE', TEAM)
    await later(fleet)
    expect(await contents(both)).toHaveLength(700)
    expect(await statusOf(both)).toBe(200)
    expect((await conditionsOf(both)).NamespaceContentRemaining.status).toBe('True')
    fleet.restart()
    await later(fleet)
    expect(await contents(both)).toHaveLength(200)
    await later(fleet)
    expect(await contents(both)).toEqual([])
    expect(await statusOf(both)).toBe(404)
  })

  it('does not keep others waiting when it is held up', async () => {
    const both = await withTeam()
    const { api, fleet } = both
    const names = Array.from({ length: 45 }, (_, at) => `held-${at}`)
    const held = { finalizers: ['example.com/hold'] }
    for (const name of names) {
      await api.call('POST', PATH, { body: { metadata: { name } } })
      await api.call('POST', `${PATH}/${name}/pods`, { body: pod('p', {}, held) })
      await api.call('DELETE', `${PATH}/${name}`)
    }
    await fleet.run(60_000)
    await api.call('DELETE', TEAM)
    await fleet.run(20_000)
    expect(await statusOf(both)).toBe(404)
  })

  it.each([
    { when: 'the monitor dies after emptying it', failsAt: 2 },
    { when: 'the monitor dies at the first deletion', failsAt: 1 },
  ])('survives when $when', async ({ failsAt }) => {
    const both = await withTeam()
    await fill(both)
    const { api, fleet } = both
    await api.call('DELETE', TEAM)
    const { commit } = fleet.store
    let commits = 0
    Object.assign(fleet.store, {
      commit: async (steps: Parameters<Store['commit']>[0]) => {
        const isOurs = steps.some(({ do: step }) => step === 'deleteObject')
        if (isOurs && ++commits === failsAt) throw new Error('the process died')
        return await commit(steps)
      },
    })
    await later(fleet)
    Object.assign(fleet.store, { commit })
    expect(await statusOf(both)).toBe(200)
    fleet.restart()
    await fleet.run(20_000)
    expect(await contents(both)).toEqual([])
    expect(await statusOf(both)).toBe(404)
  })
})

describe('a creation that races the deletion of its namespace', () => {
  it('goes with the namespace, even if it was written after it', async () => {
    let hold: Promise<void> | undefined
    const arrived = Promise.withResolvers<void>()
    const slow = (store: Store): Store => ({
      ...store,
      async commit(steps) {
        if (steps.some((step) => step.do === 'createObject' && step.resource === 'pods')) {
          arrived.resolve()
          await hold
        }
        return await store.commit(steps)
      },
    })
    const both = await withTeam({ store: slow })
    const { api, fleet } = both
    const { promise, resolve } = Promise.withResolvers<void>()
    hold = promise
    const creation = api.call('POST', PODS, { body: pod('late') })
    await arrived.promise
    await api.call('DELETE', TEAM)
    await later(fleet)
    expect(await statusOf(both)).toBe(404)
    resolve()
    expect((await creation).status).toBe(201)
    expect(await contents(both)).toHaveLength(1)
    await fleet.run(15_000)
    expect(await contents(both)).toEqual([])
  })

  it('of a namespace that was made again belongs to the new one', async () => {
    const both = await withTeam()
    const { api, fleet } = both
    await api.call('DELETE', TEAM)
    await later(fleet)
    await api.call('POST', PATH, { body: { metadata: { name: 'team' } } })
    await fill(both)
    await fleet.run(60_000)
    expect(await contents(both)).toHaveLength(3)
    expect(await records(both)).toEqual([])
    await api.call('DELETE', TEAM)
    await fleet.run(15_000)
    expect(await statusOf(both)).toBe(404)
  })
})

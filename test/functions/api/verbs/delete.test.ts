import { describe, expect, it } from 'vitest'
import { LEASES, lease, NODES, node, type World, world } from '../world.ts'

const PATH = `${NODES}/a`

async function withNode(metadata = {}): Promise<World> {
  const place = world()
  const body = { metadata: { name: 'a', ...metadata } }
  await place.call('POST', NODES, { body })
  await place.call('POST', LEASES, { body: lease('a', { holderIdentity: 'a' }) })
  return place
}

describe('a deletion', () => {
  it('of a node takes its lease along, and says which uid is gone', async () => {
    const place = await withNode()
    const { uid } = (await place.call('GET', PATH)).body.metadata
    const { status, body } = await place.call('DELETE', PATH)
    expect(status).toBe(200)
    expect(body).toMatchObject({
      kind: 'Status',
      status: 'Success',
      details: { name: 'a', kind: 'nodes', uid },
    })
    expect((await place.call('GET', PATH)).status).toBe(404)
    expect((await place.call('GET', `${LEASES}/a`)).status).toBe(404)
  })

  it.each([
    { when: 'the policy is Orphan', body: { propagationPolicy: 'Orphan' }, lease: 200 },
    { when: 'dependents are orphaned', body: { orphanDependents: true }, lease: 200 },
    { when: 'the policy is Background', body: { propagationPolicy: 'Background' }, lease: 404 },
    { when: 'dependents are not orphaned', body: { orphanDependents: false }, lease: 404 },
  ])('of a node leaves a lease without owner behind only when $when', async ({ body, lease }) => {
    const place = await withNode()
    const { uid } = (await place.call('GET', PATH)).body.metadata
    const ownerReferences = [{ apiVersion: 'v1', kind: 'Node', name: 'a', uid }]
    const type = 'application/merge-patch+json'
    const owned = { body: { metadata: { ownerReferences } }, type }
    expect((await place.call('PATCH', `${LEASES}/a`, owned)).status).toBe(200)
    expect((await place.call('DELETE', PATH, { body })).status).toBe(200)
    const left = await place.call('GET', `${LEASES}/a`)
    expect(left.status).toBe(lease)
    expect(left.body.metadata?.ownerReferences).toBeUndefined()
    expect((await place.call('GET', PATH)).status).toBe(404)
  })

  it.each([
    { when: 'an empty body with a content type', call: { raw: '', type: 'application/json' } },
    { when: 'options without a kind', call: { body: { propagationPolicy: 'Background' } } },
    {
      when: 'options of any group',
      call: { body: { kind: 'DeleteOptions', apiVersion: 'coordination.k8s.io/v1' } },
    },
    { when: 'options in YAML', call: { raw: 'gracePeriodSeconds: 3', type: 'application/yaml' } },
  ])('takes $when', async ({ call }) => {
    const place = await withNode()
    expect((await place.call('DELETE', PATH, call)).status).toBe(200)
  })

  it.each([
    { when: 'another uid is meant', query: '', body: { preconditions: { uid: 'x' } }, status: 409 },
    {
      when: 'another version is meant',
      query: '',
      body: { preconditions: { resourceVersion: '1' } },
      status: 409,
    },
    { when: 'the dry run is no All', query: '', body: { dryRun: ['Some'] }, status: 422 },
    {
      when: 'the policy is unknown',
      query: '?propagationPolicy=Sideways',
      body: undefined,
      status: 422,
    },
    {
      when: 'the grace is no number',
      query: '?gracePeriodSeconds=x',
      body: undefined,
      status: 400,
    },
    { when: 'the body is no DeleteOptions', query: '', body: { kind: 'Node' }, status: 400 },
    { when: 'it is a dry run', query: '', body: { dryRun: ['All'] }, status: 200 },
    { when: 'the query asks for a dry run', query: '?dryRun=All', body: undefined, status: 200 },
  ])('removes nothing when $when', async ({ query, body, status }) => {
    const place = await withNode()
    expect((await place.call('DELETE', `${PATH}${query}`, { body })).status).toBe(status)
    expect((await place.call('GET', PATH)).status).toBe(200)
  })

  it('of what is missing is 404', async () => {
    const place = world()
    expect((await place.call('DELETE', PATH)).status).toBe(404)
  })

  it('waits for finalizers, and the last one to go takes the object along', async () => {
    const place = await withNode({ finalizers: ['example.com/hold'] })
    const marked = await place.call('DELETE', PATH)
    expect(marked.body.metadata.deletionTimestamp).toBe('2026-01-02T03:04:05Z')
    expect(marked.body.metadata.deletionGracePeriodSeconds).toBe(0)
    place.advance(60_000)
    const again = await place.call('DELETE', PATH)
    expect(again.body).toEqual(marked.body)
    const last = await place.call('PATCH', PATH, { body: { metadata: { finalizers: null } } })
    expect([last.status, last.body.kind]).toEqual([200, 'Node'])
    expect((await place.call('GET', PATH)).status).toBe(404)
    expect((await place.call('GET', `${LEASES}/a`)).status).toBe(404)
  })

  it('and a new creation give the name another uid', async () => {
    const place = await withNode()
    const before = (await place.call('GET', PATH)).body.metadata.uid
    await place.call('DELETE', PATH)
    const { body } = await place.call('POST', NODES, { body: node('a') })
    expect(body.metadata.uid).not.toBe(before)
  })
})

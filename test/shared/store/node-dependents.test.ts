/** A Node takes along what it owns: asked through the api. */
import { describe, expect, it } from 'vitest'
import { LEASES, lease, NODES, node, type World, world } from '../../functions/api/world.ts'

const CSI = '/apis/storage.k8s.io/v1/csinodes'

async function withCsiNode(ownerUid?: string): Promise<World> {
  const place = world()
  const { uid } = (await place.call('POST', NODES, { body: node('a') })).body.metadata
  await place.call('POST', LEASES, { body: lease('a', { holderIdentity: 'a' }) })
  const owner = { apiVersion: 'v1', kind: 'Node', name: 'a', uid: ownerUid ?? uid }
  const metadata = { name: 'a', ownerReferences: [owner] }
  const made = await place.call('POST', CSI, { body: { metadata, spec: { drivers: [] } } })
  expect(made.status).toBe(201)
  return place
}

describe('a Node that is deleted', () => {
  it('takes its Lease and its CSINode along', async () => {
    const place = await withCsiNode()
    expect((await place.call('DELETE', `${NODES}/a`)).status).toBe(200)
    expect((await place.call('GET', `${CSI}/a`)).status).toBe(404)
    expect((await place.call('GET', `${LEASES}/a`)).status).toBe(404)
  })

  it('leaves the CSINode of another, and with the policy Orphan its own', async () => {
    const other = await withCsiNode('another-uid')
    await other.call('DELETE', `${NODES}/a`)
    expect((await other.call('GET', `${CSI}/a`)).status).toBe(200)
    const orphaning = await withCsiNode()
    await orphaning.call('DELETE', `${NODES}/a`, { body: { propagationPolicy: 'Orphan' } })
    expect((await orphaning.call('GET', `${CSI}/a`)).status).toBe(200)
  })

  it('ends what its token may do to its CSINode', async () => {
    const place = world()
    const body = { metadata: { name: 'node-b' }, spec: { drivers: [] } }
    const foreign = await place.call('POST', CSI, { body, as: 'node-a' })
    expect(foreign.status).toBe(403)
    expect((await place.call('POST', CSI, { body, as: 'node-b' })).status).toBe(201)
    expect((await place.call('GET', `${CSI}/node-b`, { as: 'node-a' })).status).toBe(403)
    expect((await place.call('GET', CSI, { as: 'node-b' })).status).toBe(403)
    expect((await place.call('DELETE', `${CSI}/node-b`, { as: 'node-b' })).status).toBe(200)
  })
})

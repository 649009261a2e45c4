import { describe, expect, it } from 'vitest'
import type { Namespace } from '../../../../shared/kube/objects.ts'
import { LOCKS, lease, NODES, pod, world } from '../world.ts'

const PATH = '/api/v1/namespaces'

describe('the namespaces that are always there', () => {
  it('are listed without anybody having made them, with lasting uids', async () => {
    const place = world()
    const { body } = await place.call('GET', PATH)
    expect(body.items.map(({ metadata }: Namespace) => metadata.name)).toEqual([
      'default',
      'kube-node-lease',
      'kube-public',
      'kube-system',
    ])
    expect(body.items[0].status.phase).toBe('Active')
    const again = world({ store: place.store })
    expect((await again.call('GET', PATH)).body.items).toEqual(body.items)
  })

  it('take objects before anybody has looked at them', async () => {
    expect((await world().call('POST', LOCKS, { body: lease('a', {}) })).status).toBe(201)
  })

  it('cannot be deleted', async () => {
    const reply = await world().call('DELETE', `${PATH}/kube-system`)
    expect([reply.status, reply.body.reason]).toEqual([403, 'Forbidden'])
  })

  it('are written for those only who ask for namespaces', async () => {
    const place = world()
    await place.call('GET', NODES)
    const key = { namespace: '', name: 'default' }
    expect(await place.store.objects.get('namespaces', key)).toBeUndefined()
  })
})

describe('a namespace of somebody', () => {
  it('is made, used, emptied and deleted', async () => {
    const place = world()
    const made = await place.call('POST', PATH, { body: { metadata: { name: 'team' } } })
    expect(made.status).toBe(201)
    const pods = `${PATH}/team/pods`
    const leases = '/apis/coordination.k8s.io/v1/namespaces/team/leases'
    expect((await place.call('POST', pods, { body: pod('p') })).status).toBe(201)
    await place.call('POST', leases, { body: lease('l', {}) })
    const full = await place.call('DELETE', `${PATH}/team`)
    expect(full.status).toBe(409)
    expect(full.body.message).toContain('delete its pods and leases first')
    await place.call('DELETE', `${pods}/p`)
    await place.call('DELETE', `${leases}/l`)
    expect((await place.call('DELETE', `${PATH}/team`)).status).toBe(200)
    expect((await place.call('POST', pods, { body: pod('p') })).status).toBe(404)
  })

  it('that is going takes nothing new', async () => {
    const place = world()
    const body = { metadata: { name: 'team', finalizers: ['example.com/hold'] } }
    await place.call('POST', PATH, { body })
    await place.call('DELETE', `${PATH}/team`)
    const reply = await place.call('POST', `${PATH}/team/pods`, { body: pod('p') })
    expect([reply.status, reply.body.reason]).toEqual([403, 'Forbidden'])
    expect(reply.body.message).toContain('because it is being terminated')
    expect(reply.body.details.causes).toMatchObject([{ reason: 'NamespaceTerminating' }])
  })
})

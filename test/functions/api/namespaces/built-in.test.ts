import { describe, expect, it } from 'vitest'
import type { Namespace } from '../../../../shared/kube/objects.ts'
import { LOCKS, lease, NODES, world } from '../world.ts'

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

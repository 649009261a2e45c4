/** Finding 6: with its Node a host's token ends, for reads too, and nothing keeps the Node alive. */
import { describe, expect, it } from 'vitest'
import { LEASES, NODES, node, PODS, pod } from '../functions/api/world.ts'
import {
  askToken,
  beat,
  type Joined,
  joinHost,
  micro,
  proofOf,
  type Service,
  startService,
  tokenIn,
} from './service.ts'

const READS = [`${NODES}/a`, '/api/v1/pods?fieldSelector=spec.nodeName%3Da', `${PODS}/p`]

describe('the token of a deleted Node', () => {
  it('reads nothing of its successor', async () => {
    const service = await startService()
    const host = await joinHost(service, 'a')
    await service.call('POST', PODS, { body: pod('p', { nodeName: 'a' }) })
    for (const path of READS) {
      expect((await service.call('GET', path, { as: host.token })).status).toBe(200)
    }
    await service.call('DELETE', `${NODES}/a`)
    service.advance(31_000)
    await service.call('POST', NODES, { body: node('a') })
    await service.call('POST', PODS, { body: pod('p2', { nodeName: 'a' }) })
    for (const path of [...READS, `${PODS}/p2`, `${LEASES}/a`]) {
      const answer = await service.call('GET', path, { as: host.token })
      expect([403, 404]).toContain(answer.status)
    }
    expect((await beat(service, host)).status).not.toBe(200)
  })

  it('of one that joined again reads at once, however fresh the memory of its predecessor', async () => {
    const service = await startService()
    const first = await joinHost(service, 'a')
    await service.call('GET', `${NODES}/a`, { as: first.token })
    await service.call('DELETE', `${NODES}/a`)
    service.advance(601_000)
    const second = await joinHost(service, 'a')
    expect((await service.call('GET', `${NODES}/a`, { as: second.token })).status).toBe(200)
  })
})

describe('a Node that is deleted without its lease', () => {
  const orphan = async () => {
    const service = await startService()
    const host = await joinHost(service, 'a')
    await service.call('DELETE', `${NODES}/a`, { body: { propagationPolicy: 'Orphan' } })
    return { service, host }
  }
  const put = async (service: Service, { token }: Joined) => {
    const { body } = await service.call('GET', `${LEASES}/a`)
    const spec = { ...body.spec, renewTime: micro(service.clock()) }
    return await service.call('PUT', `${LEASES}/a`, { as: token, body: { ...body, spec } })
  }

  it('leaves a lease that its host can no longer renew', async () => {
    const { service, host } = await orphan()
    service.advance(5_000)
    expect((await beat(service, host)).status).toBe(403)
    expect((await put(service, host)).status).toBe(403)
  })

  it('leaves it to its successor, and the former host does not beat for that', async () => {
    const { service, host } = await orphan()
    service.advance(601_000)
    const second = await joinHost(service, 'a')
    service.advance(1_000)
    expect((await beat(service, host)).status).toBe(403)
    const first = await beat(service, second)
    expect(first.status).toBe(200)
    expect(first.body.metadata.ownerReferences).toEqual([
      expect.objectContaining({ uid: second.uid }),
    ])
    service.advance(1_000)
    expect((await beat(service, second)).status).toBe(200)
    expect((await beat(service, host)).status).toBe(403)
    expect((await put(service, host)).status).toBe(403)
  })
})

describe('a host', () => {
  it.each([`${NODES}/a`, `${NODES}/a/status`, `${LEASES}/a`])(
    'sets no finalizer by a PATCH of %s',
    async (path) => {
      const service = await startService()
      const host = await joinHost(service, 'a')
      const body = { metadata: { finalizers: ['example.com/forever'] } }
      await service.call('PATCH', path, { as: host.token, body })
      const found = await service.call('GET', path.replace('/status', ''))
      expect(found.body.metadata.finalizers).toBeUndefined()
      await service.call('DELETE', `${NODES}/a`)
      expect((await service.call('GET', `${NODES}/a`)).status).toBe(404)
    },
  )

  it('brings no deleted Node back with its joining token', async () => {
    const service = await startService()
    const joining = tokenIn(await askToken(service, 'a', await service.bootstrap(), proofOf('a')))
    expect((await service.call('POST', NODES, { as: joining, body: node('a') })).status).toBe(201)
    tokenIn(await askToken(service, 'a', joining, proofOf('a')))
    await service.call('DELETE', `${NODES}/a`)
    expect((await service.call('POST', NODES, { as: joining, body: node('a') })).status).toBe(403)
    expect((await service.call('GET', `${NODES}/a`)).status).toBe(404)
  })

  it('joins with no Node that has a finalizer', async () => {
    const service = await startService()
    const joining = tokenIn(await askToken(service, 'a', await service.bootstrap(), proofOf('a')))
    const body = { ...node('a'), metadata: { name: 'a', finalizers: ['example.com/x'] } }
    expect((await service.call('POST', NODES, { as: joining, body })).status).toBe(403)
  })
})

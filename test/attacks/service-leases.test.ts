/** Finding 3: nobody but the service and administrators can switch it off by its own leases. */
import { describe, expect, it } from 'vitest'
import { lease } from '../functions/api/world.ts'
import { micro, type Service, startService } from './service.ts'

const LEASES = '/apis/coordination.k8s.io/v1/namespaces/kube-system/leases'
const NAMES = ['leasehold-canary', 'leasehold-monitor', 'leasehold-of-a-later-version']
const spec = (service: Service, holderIdentity: string) => ({
  holderIdentity,
  leaseDurationSeconds: 40,
  renewTime: micro(service.clock()),
})

describe.each(NAMES)('%s', (name) => {
  it('cannot be made, taken, renewed or deleted by one who may use leases there', async () => {
    const service = await startService()
    const as = 'systemLeaseUser'
    const mine = lease(name, spec(service, 'mine'))
    expect((await service.call('POST', LEASES, { as, body: mine })).status).toBe(403)
    expect((await service.call('PUT', `${LEASES}/${name}`, { as, body: mine })).status).toBe(403)

    const made = await service.call('POST', LEASES, { body: lease(name, spec(service, 'ours')) })
    expect(made.status).toBe(201)
    service.advance(3_600_000)
    const { metadata } = made.body
    const attempts = [
      service.call('PUT', `${LEASES}/${name}`, { as, body: { ...mine, metadata } }),
      service.call('PATCH', `${LEASES}/${name}`, { as, body: { spec: spec(service, 'mine') } }),
      service.call('PATCH', `${LEASES}/${name}`, { as, body: { spec: spec(service, 'ours') } }),
      service.call('DELETE', `${LEASES}/${name}`, { as }),
      service.call('DELETE', LEASES, { as }),
    ]
    for (const answer of await Promise.all(attempts)) expect(answer.status).toBe(403)
    const left = await service.call('GET', `${LEASES}/${name}`, { as })
    expect(left.body.metadata.resourceVersion).toBe(metadata.resourceVersion)
    expect((await service.call('DELETE', `${LEASES}/${name}`)).status).toBe(200)
  })
})

it('the canary may renew its own, and others use other leases there as before', async () => {
  const service = await startService()
  const canary = { user: 'leasehold:canary', groups: ['leasehold:canary'] }
  const as = await service.sign('node', canary)
  const body = lease('leasehold-canary', spec(service, 'm'))
  expect((await service.call('PUT', `${LEASES}/leasehold-canary`, { as, body })).status).toBe(201)
  const lock = lease('my-lock', spec(service, 'me'))
  const made = await service.call('POST', LEASES, { as: 'systemLeaseUser', body: lock })
  expect(made.status).toBe(201)
})

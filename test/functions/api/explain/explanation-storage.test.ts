import { describe, expect, it } from 'vitest'
import { LEASES, lease, NODES, node, world } from '../world.ts'

const WHY = '/apis/leasehold.dev/v1/explanations'
const zoned = (name: string, zone: string) => {
  const labels = { 'topology.kubernetes.io/zone': zone }
  return { ...node(name), metadata: { name, labels } }
}

/** Two hosts of one zone that beat and are Ready, and a third that went silent. */
async function fleet() {
  const place = world()
  const beat = async (name: string) => {
    const path = `${LEASES}/${name}`
    const renewTime = new Date(place.clock()).toISOString().replace('Z', '000Z')
    const body = { spec: { holderIdentity: name, renewTime } }
    await place.call('PATCH', path, { body, type: 'application/merge-patch+json' })
  }
  for (const name of ['host-1', 'host-2', 'host-3']) {
    await place.call('POST', NODES, { body: zoned(name, 'a') })
    const at = new Date(place.clock()).toISOString().replace(/\.\d+Z/, 'Z')
    const ready = { type: 'Ready', status: 'True', reason: 'KubeletReady' }
    const status = { conditions: [{ ...ready, lastHeartbeatTime: at, lastTransitionTime: at }] }
    const body = { status }
    const type = 'application/merge-patch+json'
    await place.call('PATCH', `${NODES}/${name}/status`, { body, type })
    const spec = { holderIdentity: name, leaseDurationSeconds: 40 }
    await place.call('POST', LEASES, { body: lease(name, spec) })
    await beat(name)
  }
  place.advance(34_000)
  await beat('host-1')
  await beat('host-2')
  return place
}

describe('kubectl get why', () => {
  it('explains a node with the rule and the numbers that were compared', async () => {
    const place = await fleet()
    const { status, body } = await place.call('GET', `${WHY}/host-3`)
    expect(status).toBe(200)
    expect(body.status).toMatchObject({ subject: 'node', what: 'late', rule: 'silence' })
    expect(body.status.because[0]).toContain('silent 34 s, grace 50 s, blind 0 s')
    expect(body.status.text).toContain('host-3 (a)  late')
    expect((await place.call('GET', `${WHY}/node.host-1`)).body.status.rule).toBe('healthy')
    expect((await place.call('GET', `${WHY}/zone.a`)).body.status.subject).toBe('zone')
    expect((await place.call('GET', `${WHY}/fleet`)).body.status.subject).toBe('fleet')
  })

  it('explains that the silence of a host is ours, whose beats we refused', async () => {
    const place = await fleet()
    const value = { nodes: { 'host-3': { atMs: place.clock() - 1_000 } } }
    await place.store.commit([{ do: 'putRecord', name: 'refused-beats/p', value }])
    const { body } = await place.call('GET', `${WHY}/host-3`)
    expect(body.status).toMatchObject({ what: 'not judged', rule: 'refused' })
  })

  it('lists what is not calm, by pages', async () => {
    const place = await fleet()
    const names = async (query: string) => {
      const { body } = await place.call('GET', `${WHY}${query}`)
      return body.items.map(({ metadata }: { metadata: { name: string } }) => metadata.name)
    }
    expect(await names('')).toEqual(['host-3'])
    expect(await names('?fieldSelector=metadata.name%3Dhost-1')).toEqual(['host-1'])
    expect(await names('?fieldSelector=metadata.name%3Dhost-9')).toEqual([])
    place.advance(60_000)
    expect(await names('')).toEqual(['fleet', 'host-1', 'host-2', 'host-3', 'zone.a'])
    expect(await names('?limit=2')).toEqual(['fleet', 'host-1'])
    expect(await names('?fieldSelector=metadata.name%3Dhost-2')).toEqual(['host-2'])
  })

  it('answers clearly where there is nothing, and takes no writes', async () => {
    const place = await fleet()
    for (const name of ['host-9', 'zone.b', 'pod.default.web', 'node.']) {
      const { status, body } = await place.call('GET', `${WHY}/${name}`)
      expect([status, body.reason]).toEqual([404, 'NotFound'])
    }
    for (const [method, path] of [
      ['POST', WHY],
      ['PUT', `${WHY}/host-1`],
      ['PATCH', `${WHY}/host-1`],
      ['DELETE', `${WHY}/host-1`],
    ] as const) {
      expect((await place.call(method, path, { body: {} })).status).toBe(405)
    }
  })

  it('is for viewers and operators, not for hosts', async () => {
    const place = await fleet()
    expect((await place.call('GET', WHY, { as: 'viewer' })).status).toBe(200)
    expect((await place.call('GET', WHY, { as: 'node-a' })).status).toBe(403)
    expect((await place.call('GET', `${WHY}/host-1`, { as: 'node-a' })).status).toBe(403)
    expect((await place.call('GET', WHY, { as: null })).status).toBe(401)
  })
})

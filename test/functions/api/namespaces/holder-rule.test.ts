import { describe, expect, it } from 'vitest'
import { START_MS, type World, world } from '../world.ts'

const TEAM = '/api/v1/namespaces/team'
const LOCK = '/apis/coordination.k8s.io/v1/namespaces/team/leases'
const annotated = (value: string | null) => ({
  body: { metadata: { annotations: { 'leasehold.dev/lease-holders': value } } },
})
const renewTime = (seconds: number) =>
  new Date(START_MS + seconds * 1_000).toISOString().replace('Z', '000Z')
const spec = (holderIdentity: string, seconds: number) => ({
  holderIdentity,
  leaseDurationSeconds: 30,
  renewTime: renewTime(seconds),
  leaseTransitions: 0,
})

async function withLock(value?: string): Promise<World> {
  const place = world()
  await place.call('POST', '/api/v1/namespaces', { body: { metadata: { name: 'team' } } })
  if (value) expect((await place.call('PATCH', TEAM, annotated(value))).status).toBe(200)
  const body = { metadata: { name: 'lock' }, spec: spec('a', 0) }
  expect((await place.call('POST', LOCK, { body })).status).toBe(201)
  return place
}

describe('the holders of leases in a namespace', () => {
  it('are guarded unless it says unchecked', async () => {
    for (const value of [undefined, 'checked']) {
      const place = await withLock(value)
      const taken = await place.call('PATCH', `${LOCK}/lock`, { body: { spec: spec('b', 1) } })
      expect(taken.status).toBe(409)
    }
  })

  it('change freely where it says unchecked, and every change is counted', async () => {
    const place = await withLock('unchecked')
    const dry = await place.call('PATCH', `${LOCK}/lock?dryRun=All`, {
      body: { spec: spec('b', 1) },
    })
    expect(dry.status).toBe(200)
    const patched = await place.call('PATCH', `${LOCK}/lock`, { body: { spec: spec('b', 1) } })
    expect([patched.status, patched.body.spec.leaseTransitions]).toEqual([200, 1])
    const put = { ...patched.body, spec: spec('c', 2) }
    const { status, body } = await place.call('PUT', `${LOCK}/lock`, { body: put })
    // The number never falls, whatever the client sends.
    expect([status, body.spec.leaseTransitions]).toEqual([200, 2])
    expect((await place.call('PUT', `${LOCK}/lock`, { body: put })).status).toBe(409)
    await place.call('PATCH', TEAM, annotated(null))
    const refused = await place.call('PATCH', `${LOCK}/lock`, { body: { spec: spec('a', 3) } })
    expect(refused.status).toBe(409)
  })

  it.each(['kube-node-lease', 'kube-system'])('are always guarded in %s', async (name) => {
    const place = world()
    const path = `/api/v1/namespaces/${name}`
    expect((await place.call('PATCH', path, annotated('unchecked'))).status).toBe(403)
    expect((await place.call('PATCH', path, annotated('checked'))).status).toBe(200)
  })

  it.each(['viewer', 'operator', 'node-a'])('are none of the business of %s', async (as) => {
    const place = await withLock()
    const reply = await place.call('PATCH', TEAM, { ...annotated('unchecked'), as })
    expect(reply.status).toBe(403)
  })

  it('are checked or unchecked and nothing else', async () => {
    const place = await withLock()
    expect((await place.call('PATCH', TEAM, annotated('maybe'))).status).toBe(403)
    const made = { metadata: { name: 'x', ...annotated('unchecked').body.metadata } }
    expect((await place.call('POST', '/api/v1/namespaces', { body: made })).status).toBe(201)
  })
})

describe('the default for new namespaces', () => {
  it('is written into each, and changes none that says otherwise', async () => {
    const place = world({ settings: { leaseHolders: 'unchecked' } })
    const make = async (name: string, annotations = {}) =>
      (
        await place.call('POST', '/api/v1/namespaces', {
          body: { metadata: { name, annotations } },
        })
      ).body.metadata.annotations['leasehold.dev/lease-holders']
    expect(await make('one')).toBe('unchecked')
    expect(await make('two', { 'leasehold.dev/lease-holders': 'checked' })).toBe('checked')
    const { body } = await place.call('GET', '/api/v1/namespaces/kube-system')
    expect(body.metadata.annotations).toBeUndefined()
  })
})

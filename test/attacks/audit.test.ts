/** Who did what is in the log: writes of people, refusals of callers, and no secret. */
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import type { AuditEvent } from '../../shared/auth/audit-event.ts'
import { LOCKS, lease, NODES, node, PODS, pod } from '../functions/api/world.ts'
import { beat, joinHost, micro, type Service, startService } from './service.ts'

const lines = ({ log }: Service): readonly AuditEvent[] =>
  log.flatMap(({ message, audit }) => (message === 'audit' && audit ? [audit] : []))
const told = (service: Service) =>
  lines(service).map(({ user, verb, objectRef: of, requestURI, responseStatus: { code } }) => {
    const what = of ? [of.resource, of.subresource, of.namespace, of.name] : [requestURI]
    return [user.username, verb, what.filter(Boolean).join('/'), code].join(' ')
  })
const cordon = { spec: { unschedulable: true } }

describe('an audit line', () => {
  it('is the one in docs/security.md', async () => {
    const service = await startService()
    await service.call('POST', NODES, { body: node('a') })
    await service.call('PATCH', `${NODES}/a`, { as: 'operator', body: cordon })
    const text = readFileSync('docs/security.md', 'utf8')
    const [, example = ''] = /```json\n([\s\S]*?)```/.exec(text) ?? []
    expect(lines(service).at(-1)).toEqual(JSON.parse(example))
  })

  it('tells every write of a person, with its answer', async () => {
    const service = await startService()
    await service.call('POST', NODES, { body: node('a') })
    await service.call('POST', PODS, { body: pod('p', { nodeName: 'a' }) })
    await service.call('PATCH', `${NODES}/a`, { as: 'operator', body: cordon })
    await service.call('PUT', `${NODES}/a`, { as: 'operator', body: node('other') })
    await service.call('DELETE', `${PODS}/p`, { as: 'operator' })
    await service.call('DELETE', `${PODS}/p?dryRun=All`, { as: 'operator' })
    await service.call('DELETE', `${NODES}/a`, { as: 'viewer' })
    await service.call('PATCH', `${LOCKS}/x`, { body: { spec: {} } })
    expect(told(service)).toEqual([
      'ada create nodes/a 201',
      'ada create pods/default/p 201',
      'otto patch nodes/a 200',
      'otto update nodes/a 400',
      'otto delete pods/default/p 200',
      'otto delete pods/default/p 200',
      'vera delete nodes/a 403',
      'ada patch leases/default/x 404',
    ])
    expect(
      lines(service)
        .map(({ dryRun }) => dryRun === true)
        .indexOf(true),
    ).toBe(5)
  })

  it('tells every refusal, of whoever it is', async () => {
    const service = await startService()
    const host = await joinHost(service, 'a')
    const before = told(service).length
    await service.call('GET', NODES, { as: host.token })
    await service.call('GET', '/metrics', { as: 'stranger' })
    await service.call('GET', NODES, { as: null })
    await service.call('PATCH', `${LOCKS}/x`, { as: 'forged.to.ken', body: {} })
    await service.call('GET', NODES, { headers: { 'impersonate-user': 'other' } })
    expect(told(service).slice(before)).toEqual([
      'system:node:a list nodes 403',
      'sid get /metrics 403',
      'system:anonymous list nodes 401',
      'system:anonymous patch leases/default/x 401',
      'ada list nodes 403',
    ])
  })

  it('is not written for beats, locks, reads that are served and questions about oneself', async () => {
    const service = await startService()
    const host = await joinHost(service, 'a')
    const before = told(service).length
    await beat(service, host)
    await service.call('GET', NODES, { as: 'viewer' })
    const spec = { holderIdentity: 'l', leaseDurationSeconds: 5, renewTime: micro(service.clock()) }
    const body = lease('lock', spec)
    expect((await service.call('POST', LOCKS, { as: 'leaseUser', body })).status).toBe(201)
    const reviews = '/apis/authentication.k8s.io/v1/selfsubjectreviews'
    const review = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' }
    expect((await service.call('POST', reviews, { as: 'viewer', body: review })).status).toBe(201)
    expect(told(service).slice(before)).toEqual([])
  })

  it('names the bootstrap token that was made, and not its secret', async () => {
    const service = await startService()
    const path = '/apis/leasehold.dev/v1/bootstraptokens'
    const made = await service.call('POST', path, { as: 'operator', body: {} })
    const [id, secret = ''] = made.body.status.token.split('.')
    expect(told(service)).toEqual([`otto post ${path}/${id} 201`])
    expect(JSON.stringify(service.log)).not.toContain(secret)
  })

  it('is short and without secrets, whatever is sent', async () => {
    const service = await startService()
    const groups = Array.from({ length: 100 }, (_, at) => `g${at}-${'x'.repeat(1_000)}`)
    const as = await service.sign('admin', { user: 'u'.repeat(5_000), groups })
    const secret = 'hunter2hunter2'
    const metadata = { name: 'n'.repeat(100_000), annotations: { secret } }
    await service.call('POST', `${NODES}?fieldManager=${secret}`, {
      as,
      body: { ...node('a'), metadata },
    })
    await service.call('POST', NODES, { body: { ...node('a'), metadata } })
    await service.call('DELETE', `/x/${'y'.repeat(10_000)}?token=${secret}`, { as })
    expect(lines(service)).toHaveLength(3)
    for (const line of lines(service)) {
      const text = JSON.stringify(line)
      expect(Buffer.byteLength(text)).toBeLessThan(10 * 1024)
      expect(text).not.toContain(secret)
      expect(text).not.toContain(as)
    }
  })

  it('is written once a second about callers without a good token, and counts the others', async () => {
    const service = await startService()
    for (let at = 0; at < 100; at++) await service.call('GET', NODES, { as: null })
    expect(lines(service)).toHaveLength(10)
    service.advance(1_000)
    await service.call('GET', NODES, { as: null })
    expect(lines(service)).toHaveLength(11)
    expect(lines(service).at(-1)?.omitted).toBe(90)
  })
})

/** Finding 14: what the monitor tells about hosts, no host can tell otherwise. */
import { describe, expect, it } from 'vitest'
import type { TimedEvent } from '../../shared/lifecycle/events/core-events.ts'
import { eventRecorder } from '../../shared/store/event-recorder.ts'
import { joinHost, type Service, startService } from './service.ts'

const EVENTS = '/api/v1/namespaces/default/events'
const EVENTS_V1 = '/apis/events.k8s.io/v1/namespaces/default/events'

const condemned = (service: Service): TimedEvent => ({
  source: { component: 'node-controller' },
  type: 'Normal',
  reason: 'NodeNotReady',
  message: 'Node b status is now: NodeNotReady',
  involvedObject: { apiVersion: 'v1', kind: 'Node', name: 'b', uid: 'b' },
  version: service.clock() * 1_000,
  time: new Date(service.clock()).toISOString(),
})

const event = (name: string, more: object = {}) => ({
  apiVersion: 'v1',
  kind: 'Event',
  metadata: { name },
  involvedObject: { kind: 'Node', name: 'a', namespace: 'default' },
  reason: 'Rebooted',
  message: 'it did',
  type: 'Warning',
  source: { component: 'kubelet', host: 'a' },
  ...more,
})

async function told() {
  const service = await startService()
  const host = await joinHost(service, 'a')
  await eventRecorder(service.store, service.clock).record(condemned(service))
  const [stored] = (await service.call('GET', EVENTS)).body.items
  return { service, as: host.token, stored }
}

describe('a host', () => {
  it.each([EVENTS, EVENTS_V1])(
    'rewrites no Event of the monitor about another, by %s',
    async (path) => {
      const { service, as, stored } = await told()
      const { name } = stored.metadata
      const found = await service.call('GET', `${path}/${name}`)
      const lie = { message: 'all is well', note: 'all is well' }
      const patched = await service.call('PATCH', `${path}/${name}`, { as, body: lie })
      const claimed = { source: { host: 'a' }, deprecatedSource: { host: 'a' } }
      const body = { ...found.body, ...lie, ...claimed, reportingInstance: 'a' }
      const put = await service.call('PUT', `${path}/${name}`, { as, body })
      expect([patched.status, put.status]).toEqual([403, 403])
      expect((await service.call('GET', `${EVENTS}/${name}`)).body).toMatchObject(stored)
    },
  )

  it.each([
    { what: 'in the name of the monitor', more: { source: { component: 'node-controller' } } },
    { what: 'in the name of another host', more: { source: { component: 'kubelet', host: 'b' } } },
    { what: 'about another Node', more: { involvedObject: { kind: 'Node', name: 'b' } } },
    { what: 'with two senders', more: { reportingInstance: 'b' } },
  ])('tells nothing $what', async ({ more }) => {
    const { service, as } = await told()
    const involvedObject = { ...event('e').involvedObject, namespace: 'default' }
    const body = { ...event('e', { involvedObject, ...more }) }
    expect((await service.call('POST', EVENTS, { as, body })).status).toBe(403)
    expect((await service.call('GET', `${EVENTS}/e`)).status).toBe(404)
  })

  it('tells of itself and of pods, and counts what it told', async () => {
    const { service, as } = await told()
    expect((await service.call('POST', EVENTS, { as, body: event('e') })).status).toBe(201)
    const again = await service.call('PATCH', `${EVENTS}/e`, { as, body: { count: 2 } })
    expect([again.status, again.body.count]).toEqual([200, 2])
    const about = { kind: 'Pod', name: 'p', namespace: 'default' }
    const ofPod = event('p', { involvedObject: about })
    expect((await service.call('POST', EVENTS, { as, body: ofPod })).status).toBe(201)
  })
})

it('an Event that waits where the monitor will write is overwritten, its count too', async () => {
  const { service, stored } = await told()
  const { name } = stored.metadata
  await service.call('DELETE', `${EVENTS}/${name}`)
  const forged = event(name, { count: 1_000_000, message: 'all is well' })
  expect((await service.call('POST', EVENTS, { body: forged })).status).toBe(201)
  service.advance(1_000)
  await eventRecorder(service.store, service.clock).record(condemned(service))
  const { body } = await service.call('GET', `${EVENTS}/${name}`)
  const { reason, message, source, involvedObject, type } = condemned(service)
  expect(body).toMatchObject({ reason, message, source, involvedObject, type, count: 1 })
})

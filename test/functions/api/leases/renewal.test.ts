import { describe, expect, it } from 'vitest'
import type { ApiDeps, RefusedBeat } from '../../../../functions/api/deps.ts'
import {
  throttled,
  tooManyRequests,
  unavailable,
  withFault,
  writeTimeout,
} from '../../../../shared/kube/status-error.ts'
import { PoisonedItem } from '../../../../shared/store/dynamo/items.ts'
import type { Store } from '../../../../shared/store/ports.ts'
import { caller, tokenAuthenticator, wellKnownCallers } from '../../../builders/callers.ts'
import { countingStore, storeCalls } from '../../../store-doubles/counting-store.ts'
import { LEASES, lease, NODES, node, WAYS, type World, world as worldOf } from '../world.ts'

const first = '2026-01-02T03:04:05.000000Z'
const second = '2026-01-02T03:04:15.000000Z'
const spec = { holderIdentity: 'node-a', leaseDurationSeconds: 40, renewTime: first }
const PATH = `${LEASES}/node-a`
const nodeCaller = (name: string) => caller(`system:node:${name}`, 'system:nodes')
const callersWithUids = new Map([
  ...Object.entries(wellKnownCallers),
  ['node-a', { ...nodeCaller('node-a'), nodeUid: 'uid-a' }],
  ['node-b', { ...nodeCaller('node-b'), nodeUid: 'uid-b' }],
])

// A renewal has a short way of its own past router and Request: every rule holds on both.
describe.each(WAYS)('through the %s', (way) => {
  const world = (overrides: Partial<ApiDeps> = {}) => worldOf(overrides, way)

  async function registered(overrides = {}): Promise<World> {
    const place = world(overrides)
    await place.call('POST', LEASES, { body: lease('node-a', spec) })
    return place
  }

  async function watched(overrides: Partial<ApiDeps> = {}) {
    const { store } = world()
    const calls = storeCalls()
    const counted = countingStore(store, calls)
    const place = await registered({ store: counted, admission: undefined, ...overrides })
    const found = await place.call('GET', PATH)
    calls.clear()
    return { place, calls: calls.names, found: found.body }
  }

  describe('a renewal', () => {
    it('by PUT is one conditional write and nothing else', async () => {
      const { place, calls, found } = await watched()
      const reply = await place.call('PUT', PATH, {
        body: { ...found, spec: { ...found.spec, renewTime: second } },
      })
      expect(reply.status).toBe(200)
      expect(reply.body.spec.renewTime).toBe(second)
      expect(reply.body.metadata.resourceVersion).not.toBe(found.metadata.resourceVersion)
      expect(calls).toEqual(['leases.renew'])
    })

    it.each([
      { when: 'a merge patch', type: 'application/merge-patch+json' },
      { when: 'a strategic merge patch', type: 'application/strategic-merge-patch+json' },
    ])('by $when is one conditional write and nothing else', async ({ type }) => {
      const { place, calls } = await watched()
      const body = { spec: { renewTime: '2026-01-02T03:04:15Z', holderIdentity: 'node-a' } }
      const reply = await place.call('PATCH', PATH, { body, type })
      expect(reply.status).toBe(200)
      expect(reply.body.spec).toEqual({ ...spec, renewTime: second, leaseTransitions: undefined })
      expect(calls).toEqual(['leases.renew'])
    })

    it('answers with the next version alone where the client prefers that', async () => {
      const { place, calls, found } = await watched()
      const body = { ...found, spec: { ...found.spec, renewTime: second } }
      const headers = { prefer: 'return=minimal' }
      const reply = await place.call('PUT', PATH, { body, headers })
      expect(reply.status).toBe(200)
      expect(reply.headers.get('preference-applied')).toBe('return=minimal')
      expect(reply.headers.get('leasehold-inbox')).toBe('0')
      expect(calls).toEqual(['leases.renew'])
      const stored = await place.call('GET', PATH)
      const { resourceVersion } = stored.body.metadata
      expect(reply.body).toEqual({ metadata: { resourceVersion } })
    })

    it('tells the host its inbox and when it was declared silent', async () => {
      const place = await registered()
      await place.store.commit([{ do: 'raiseInbox', nodeName: 'node-a' }])
      const key = { namespace: 'kube-node-lease', name: 'node-a' }
      const { version } = (await place.store.leases.get(key))!
      await place.store.commit([{ do: 'declareSilent', lease: { key, version }, declaredAtMs: 77 }])
      const { headers } = await place.call('PATCH', PATH, { body: { spec: { renewTime: second } } })
      expect(headers.get('leasehold-inbox')).toBe('1')
      expect(headers.get('leasehold-declared')).toBe('77')
      expect(headers.get('leasehold-beat-seconds')).toBeNull()
    })

    it.each([
      { when: 'the fleet has a short grace', ownGraceMs: undefined, beat: '0.75', grace: '3' },
      { when: 'its Node has a grace of its own', ownGraceMs: 20_000, beat: '4', grace: '20' },
    ])('tells the host its rhythm, without a read, where $when', async (given) => {
      const fleet = { nodeMonitorGracePeriodMs: 3_000, nodeLeaseRenewIntervalMs: 750 }
      const { place, calls } = await watched({ fleetTiming: fleet })
      const { ownGraceMs } = given
      await place.store.commit([
        { do: 'setOwnGrace', nodeName: 'node-a', ...(ownGraceMs && { ownGraceMs }) },
      ])
      calls.length = 0
      const { headers } = await place.call('PATCH', PATH, { body: { spec: { renewTime: second } } })
      expect(calls).toEqual(['leases.renew'])
      expect(headers.get('leasehold-beat-seconds')).toBe(given.beat)
      expect(headers.get('leasehold-grace-seconds')).toBe(given.grace)
    })

    it('that repeats the stored time keeps the version', async () => {
      const place = await registered()
      const before = await place.call('GET', PATH)
      const reply = await place.call('PATCH', PATH, { body: { spec: { renewTime: first } } })
      expect(reply.status).toBe(200)
      expect(reply.body.metadata.resourceVersion).toBe(before.body.metadata.resourceVersion)
    })

    it.each([
      { when: 'the version is stale', change: { resourceVersion: '1' }, status: 409 },
      { when: 'the uid is another', change: { uid: 'other' }, status: 409 },
      { when: 'a label is malformed', change: { labels: { 'a b': 'c' } }, status: 422 },
      {
        when: 'version and label are both wrong',
        change: { resourceVersion: '1', labels: { 'a b': 'c' } },
        status: 409,
      },
      { when: 'the name is another', change: { name: 'node-b' }, status: 400 },
      { when: 'the namespace is another', change: { namespace: 'default' }, status: 400 },
    ])('is refused when $when, and changes nothing', async ({ change, status }) => {
      const place = await registered()
      const { body: before } = await place.call('GET', PATH)
      const reply = await place.call('PUT', PATH, {
        body: {
          ...before,
          metadata: { ...before.metadata, ...change },
          spec: { ...before.spec, renewTime: second },
        },
      })
      expect(reply.status, reply.text).toBe(status)
      expect((await place.call('GET', PATH)).body).toEqual(before)
    })

    it('by another holder is 409 and says who holds the lease until when', async () => {
      const place = await registered()
      const { body } = await place.call('GET', PATH)
      const taken = { ...body, spec: { ...body.spec, holderIdentity: 'thief', renewTime: second } }
      const reply = await place.call('PUT', PATH, { body: taken })
      expect(reply.status).toBe(409)
      expect(reply.body.reason).toBe('Conflict')
      expect(reply.body.message).toContain('held by "node-a" until 2026-01-02T03:04:47Z')
      place.advance(41_001)
      const { status, body: won } = await place.call('PUT', PATH, { body: taken })
      expect(status).toBe(200)
      expect(won.spec.leaseTransitions).toBe(1)
    })

    it('of a lease that is gone is created anew, unless the body remembers the old one', async () => {
      const place = await registered()
      const { body } = await place.call('GET', PATH)
      await place.call('DELETE', PATH)
      expect((await place.call('PUT', PATH, { body })).status).toBe(409)
      const { uid: _uid, ...metadata } = body.metadata
      expect((await place.call('PUT', PATH, { body: { ...body, metadata } })).status).toBe(201)
    })

    it('that says its time twice is 422 to those who ask for strictness', async () => {
      const place = await registered()
      const raw = `{"spec":{"renewTime":"${first}","renewTime":"${second}"}}`
      const reply = await place.call('PATCH', `${PATH}?fieldValidation=Strict`, { raw })
      expect(reply.status).toBe(422)
      expect((await place.call('GET', PATH)).body.spec.renewTime).toBe(first)
    })

    it('with dryRun changes nothing', async () => {
      const place = await registered()
      const before = (await place.call('GET', PATH)).body
      const body = { spec: { renewTime: second } }
      const reply = await place.call('PATCH', `${PATH}?dryRun=All`, { body })
      expect(reply.body.spec.renewTime).toBe(second)
      expect((await place.call('GET', PATH)).body).toEqual(before)
    })

    describe('by a token of an earlier Node of the same name', () => {
      const identity = {
        user: 'system:node:node-a',
        groups: ['system:nodes', 'system:authenticated'],
        nodeUid: 'uid-of-old',
      }
      const stale = () =>
        world({ authenticator: { authenticate: async () => ({ kind: 'known', identity }) } })
      const owned = (uid: string) =>
        lease('node-a', spec, {
          namespace: 'kube-node-lease',
          uid: 'u',
          ownerReferences: [{ apiVersion: 'v1', kind: 'Node', name: 'node-a', uid }],
        })

      it('is refused', async () => {
        const place = stale()
        await place.store.leases.create(owned('uid-of-new'))
        const reply = await place.call('PATCH', PATH, { body: { spec: { renewTime: second } } })
        expect(reply.status).toBe(403)
        expect(reply.body.message).toContain('join again')
      })

      it.each(['POST', 'PUT'])('cannot begin anew with a %s', async (method) => {
        const place = stale()
        const fresh = owned('uid-of-old')
        const body = { ...fresh, metadata: { ...fresh.metadata, uid: undefined } }
        const reply = await place.call(method, method === 'POST' ? LEASES : PATH, { body })
        expect(reply.status).toBe(403)
        expect(reply.body.message).toContain('join again')
      })
    })
  })

  describe('two machines under one name', () => {
    it('are told apart by their holders, and people are told by an event', async () => {
      const place = world()
      await place.call('POST', NODES, { body: node('node-a') })
      const held = { ...spec, holderIdentity: 'node-a_machine1' }
      await place.call('POST', LEASES, { body: lease('node-a', held) })
      const { body } = await place.call('GET', PATH)
      const rival = { ...body.spec, holderIdentity: 'node-a_machine2', renewTime: second }
      const claim = async (query: string) => {
        const reply = await place.call('PUT', `${PATH}${query}`, { body: { ...body, spec: rival } })
        const events = await place.call('GET', '/api/v1/namespaces/default/events')
        return { status: reply.status, events: events.body.items }
      }
      expect(await claim('?dryRun=All')).toEqual({ status: 409, events: [] })
      const { status, events } = await claim('')
      expect(status).toBe(409)
      expect(events).toMatchObject([{ reason: 'NodeNameConflict', type: 'Warning' }])
      expect((await claim('')).events).toEqual(events)
      place.advance(61 * 60_000)
      expect((await place.call('GET', '/api/v1/events')).body.items).toEqual([])
    })
  })

  describe('a failing store', () => {
    const failing = (store: Store, error: Error): Store => ({
      ...store,
      leases: {
        ...store.leases,
        renew: () => Promise.reject(error),
        create: () => Promise.reject(error),
      },
      objects: { ...store.objects, get: () => Promise.reject(error) },
    })
    const refusing = (error: Error) => {
      const reported: RefusedBeat[] = []
      const { store } = world()
      const onRefusedBeat = (refused: RefusedBeat) => reported.push(refused)
      const authenticator = tokenAuthenticator(callersWithUids)
      const deps = { authenticator, onRefusedBeat, admission: undefined }
      return { place: world({ ...deps, store: failing(store, error) }), reported }
    }
    const body = { spec: { renewTime: second } }
    const ours = [
      { when: 'throttled', error: throttled('busy', 1), status: 429 },
      { when: 'out of reach', error: unavailable('gone', 1), status: 503 },
      { when: 'silent about a write', error: writeTimeout(), status: 504 },
      { when: 'not ours any more', error: withFault(new Error('denied'), 'denied'), status: 500 },
      { when: 'unreadable', error: new PoisonedItem('x', 'schema 9'), status: 500 },
    ]

    it.each(ours)('that is $when is told with the node whose beat it was', async (fault) => {
      const { place, reported } = refusing(fault.error)
      const as = 'node-a'
      expect((await place.call('PATCH', PATH, { as, body })).status).toBe(fault.status)
      await place.call('PATCH', `${NODES}/node-a/status`, { as, body: {} })
      await place.call('POST', LEASES, { as, body: lease('node-a', {}) })
      const refused = { node: 'node-a', uid: 'uid-a', atMs: place.clock() }
      expect(reported).toEqual([refused, refused, refused])
    })

    it('is told for whom a user with rights over all beats', async () => {
      const { place, reported } = refusing(throttled('busy', 1))
      await place.call('PATCH', PATH, { body })
      await place.call('POST', LEASES, { body: lease('node-b', {}) })
      expect(reported).toEqual([{ node: 'node-a', atMs: place.clock() }])
    })

    it('is no beat refused in another namespace, by a read, or of another resource', async () => {
      const { place, reported } = refusing(throttled('busy', 1))
      const other = '/apis/coordination.k8s.io/v1/namespaces/default/leases'
      expect((await place.call('PATCH', `${other}/node-a`, { body })).status).toBe(429)
      await place.call('POST', other, { body: lease('node-a', {}) })
      await place.call('GET', PATH)
      await place.call('DELETE', PATH)
      await place.call('PATCH', `${NODES}/node-a`, { body: {} })
      expect(reported).toEqual([])
    })

    it('is not told of a node by one who may not beat for it', async () => {
      const { place, reported } = refusing(throttled('busy', 1))
      const reply = await place.call('PATCH', PATH, { as: 'node-b', body })
      expect(reply.status).toBe(403)
      expect(reported).toEqual([])
    })

    it('is 500 without its secrets and logged once; a mistake of ours is no fault of it', async () => {
      const { place, reported } = refusing(new Error('secret detail of the table'))
      const reply = await place.call('PATCH', PATH, { body })
      expect(reply.status).toBe(500)
      expect(reply.text).not.toContain('secret')
      const failures = place.log.filter(({ level }) => level === 'error')
      expect(failures).toHaveLength(1)
      expect(reply.body.message).toContain(failures[0]!.id)
      expect(reported).toEqual([])
    })

    it('is told of nobody while it keeps us from knowing who calls', async () => {
      const reported: RefusedBeat[] = []
      const place = world({
        authenticator: { authenticate: () => Promise.reject(unavailable('no keys', 1)) },
        onRefusedBeat: (refused) => reported.push(refused),
      })
      expect((await place.call('PATCH', PATH, { body })).status).toBe(503)
      await place.call('PATCH', `${NODES}/node-b/status`, { body: {} })
      expect(reported).toEqual([])
    })

    it('is not told when the client is at fault', async () => {
      const reported: unknown[] = []
      const onRefusedBeat = (refused: unknown) => reported.push(refused)
      const place = await registered({ onRefusedBeat })
      await place.call('PUT', PATH, { raw: '{' })
      await place.call('PATCH', `${LEASES}/missing`, { body })
      await place.call('POST', NODES, { body: node('x') })
      const { place: busy, reported: more } = refusing(tooManyRequests('too often', 1))
      expect((await busy.call('PATCH', PATH, { body })).status).toBe(429)
      expect([...reported, ...more]).toEqual([])
    })
  })
})

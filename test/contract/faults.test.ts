import type { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Engine, startEngine } from '../../local/engine/engine.ts'
import { serviceFaultOf } from '../../shared/kube/status-error.ts'
import type { WriteStep } from '../../shared/store/ports.ts'
import { clientFor, dynamoRig } from './dynamo-rig.ts'
import { type Fault, type FaultyProxy, faultyProxy } from './faulty-proxy.ts'
import { add, created, held, hostKey, lease, lockKey, node, withSpec } from './rig.ts'

let engine: Engine
let proxy: FaultyProxy
let client: DynamoDBClient

beforeAll(async () => {
  engine = await startEngine()
  proxy = await faultyProxy(engine.endpoint)
  client = clientFor(proxy.endpoint)
})

afterAll(async () => {
  client.destroy()
  await proxy.close()
  await engine.stop()
})

const passing: readonly Fault[] = ['throttled', 'failed', 'conflict', 'lost', 'broken']

describe.each(['signed', 'sdk'] as const)('a renewal (%s)', (singleItemCalls) => {
  it.each(passing)('outlives a request that is %s', async (fault) => {
    const { store } = await dynamoRig(client, { singleItemCalls })
    const { version } = await created(store, lease(hostKey, held('host-1')))
    proxy.plan('UpdateItem', fault, fault)
    const outcome = await store.leases.renew({ key: hostKey, spec: held('host-1', 1), version })
    if (outcome.kind !== 'renewed') throw new Error(outcome.kind)
    expect(await store.leases.get(hostKey)).toEqual(outcome.lease)
  })

  it.each([
    { fault: 'throttled', code: 429, details: { retryAfterSeconds: 1 }, ours: 'throttled' },
    { fault: 'conflict', code: 429, details: { retryAfterSeconds: 1 }, ours: undefined },
    // It may have been applied, so no client library is told to send it again.
    { fault: 'failed', code: 504, details: {}, ours: 'unclear' },
  ] as const)('that is $fault for ever becomes $code', async ({ fault, code, details, ours }) => {
    const { store } = await dynamoRig(client, { singleItemCalls })
    const before = await created(store, lease(hostKey, held('host-1')))
    proxy.plan('UpdateItem', ...Array.from({ length: 40 }, () => fault))
    const renewal = { key: hostKey, spec: held('host-1', 1) }
    const refused = await store.leases.renew(renewal).catch((error: unknown) => error)
    expect(refused).toMatchObject({ code, body: { details } })
    expect(serviceFaultOf(refused)).toBe(ours)
    proxy.plan('UpdateItem')
    expect(await store.leases.get(hostKey)).toEqual(before)
  })

  it('that is too large for an item is the doing of its caller', async () => {
    const { store } = await dynamoRig(client, { singleItemCalls })
    await created(store, lease(hostKey, held('host-1')))
    const annotations = { note: 'x'.repeat(400 * 1024) }
    const { object } = (await store.leases.get(hostKey))!
    const large = { ...object, metadata: { ...object.metadata, annotations } }
    const renewal = { key: hostKey, spec: held('host-1', 1), object: large }
    const refused = await store.leases.renew(renewal).catch((error: unknown) => error)
    expect(refused).toMatchObject({ code: 413 })
    expect(serviceFaultOf(refused)).toBeUndefined()
  })
})

describe('a write whose answer is lost', () => {
  it.each(['lost', 'broken'] as const)('is known to have happened (%s)', async (fault) => {
    const { store } = await dynamoRig(client)
    proxy.plan('PutItem', fault)
    const object = node('n1')
    const create: WriteStep = { do: 'createObject', resource: 'nodes', object, fields: {} }
    const commit = await store.commit([create])
    if (commit.kind !== 'committed') throw new Error(commit.kind)
    const stored = (await store.objects.get('nodes', { namespace: '', name: 'n1' }))!
    expect(commit.versions).toEqual([stored.version])

    proxy.plan('TransactWriteItems', fault)
    const deletion = await store.commit([{ do: 'deleteObject', believed: stored }])
    if (deletion.kind !== 'committed') throw new Error(deletion.kind)
    const changes = await store.objects.changes('nodes', 0)
    expect(changes.map(({ version, deleted }) => [version, deleted])).toEqual([
      [deletion.versions[0], true],
    ])
  })

  it('is known for every kind of lease write', async () => {
    const { store } = await dynamoRig(client)
    proxy.plan('TransactWriteItems', 'lost')
    const first = await created(store, lease(lockKey, held('a')))
    proxy.plan('UpdateItem', 'lost')
    const free = await store.leases.replace(withSpec(first, { holderIdentity: '' }), first)
    if (free.kind !== 'replaced') throw new Error(free.kind)
    proxy.plan('PutItem', 'lost')
    expect((await store.leases.remove(free.now)).kind).toBe('removed')
    const again = await created(store, lease(lockKey, held('b')))
    expect(again.object.spec?.leaseTransitions).toBe(1)

    const host = await created(store, lease(hostKey, held('host-1')))
    proxy.plan('TransactWriteItems', 'lost')
    expect((await store.leases.remove(host)).kind).toBe('removed')
  })

  it('does not count twice', async () => {
    const { store } = await dynamoRig(client)
    await created(store, lease(hostKey, held('host-1')))
    proxy.plan('TransactWriteItems', 'lost', 'lost')
    await store.commit([{ do: 'raiseInbox', nodeName: 'host-1' }])
    expect((await store.leases.get(hostKey))?.inbox).toBe(1)
  })

  it('tells a record that was dropped from one that another dropped', async () => {
    const { store } = await dynamoRig(client)
    const put = await store.commit([{ do: 'putRecord', name: 'r', value: 1 }])
    const believed = put.kind === 'committed' ? put.versions[0]! : 0
    proxy.plan('TransactWriteItems', 'lost')
    const drop: WriteStep = { do: 'dropRecord', name: 'r', believed }
    expect((await store.commit([drop])).kind).toBe('committed')
    expect((await store.commit([drop])).kind).toBe('outrun')
  })
})

describe('a transaction', () => {
  it('that meets another is tried again, and stamped anew', async () => {
    const waits: number[] = []
    const sleep = async (ms: number) => {
      waits.push(ms)
      clock.advance(100)
    }
    const { store, clock } = await dynamoRig(client, { sleep })
    const believed = await add(store, 'nodes', node('n1'))
    proxy.plan('TransactWriteItems', 'cancelled', 'cancelled')
    const commit = await store.commit([
      { do: 'replaceObject', believed, object: believed.object, fields: {} },
      { do: 'putRecord', name: 'r', value: 1 },
    ])
    if (commit.kind !== 'committed') throw new Error(commit.kind)
    expect(waits.every((ms) => ms >= 10 && ms <= 80)).toBe(true)
    expect(waits.length).toBe(2)
    expect(commit.versions[0]).toBeGreaterThanOrEqual(clock() * 1_000)
  })

  it('that always meets another is 429 after five tries more', async () => {
    const { store } = await dynamoRig(client)
    const believed = await add(store, 'nodes', node('n1'))
    proxy.plan('TransactWriteItems', ...Array.from({ length: 20 }, () => 'cancelled' as const))
    const from = proxy.seen.length
    const deletion = store.commit([{ do: 'deleteObject', believed }])
    await expect(deletion).rejects.toMatchObject({ code: 429 })
    proxy.plan('TransactWriteItems')
    expect(proxy.seen.slice(from)).toEqual(Array.from({ length: 6 }, () => 'TransactWriteItems'))
    expect(await store.objects.get('nodes', believed.key)).toEqual(believed)
  })
})

describe('a read', () => {
  it.each(['throttled', 'failed', 'lost'] as const)('that is %s is tried again', async (fault) => {
    const { store } = await dynamoRig(client)
    const stored = await add(store, 'nodes', node('n1'))
    for (const operation of ['GetItem', 'BatchGetItem', 'Query']) proxy.plan(operation, fault)
    expect(await store.objects.get('nodes', stored.key)).toEqual(stored)
    expect(await store.objects.read('nodes', [stored.key])).toEqual([stored])
    expect((await store.objects.list('nodes', {})).items).toEqual([stored])
  })
})

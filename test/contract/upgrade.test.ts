/**
 * May a new version meet what an older one wrote, and the other way round? `items-schema-1.json`
 * was written by the first version and is never written again: every later version must go on
 * reading it.
 */
import { readFileSync } from 'node:fs'
import { type AttributeValue, GetItemCommand, PutItemCommand } from '@aws-sdk/client-dynamodb'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Engine, startEngine } from '../../local/engine/engine.ts'
import { schemaNumber } from '../../shared/store/tables.ts'
import { clientFor, dynamoRig } from './dynamo-rig.ts'
import { held, hostKey, lease, lockKey } from './rig.ts'

type Item = Record<string, AttributeValue>
type Items = Readonly<Record<'leases' | 'objects', readonly Item[]>>
const frozen: Items = JSON.parse(readFileSync('test/contract/items-schema-1.json', 'utf8'))
const nodeKey = { namespace: '', name: 'host-1' }

let engine: Engine
beforeAll(async () => {
  engine = await startEngine()
})
afterAll(() => engine.stop())

/** Tables as the first version left them. */
async function inherited() {
  const client = clientFor(engine.endpoint)
  const poisoned: string[] = []
  const rig = await dynamoRig(client, { onPoisoned: (id) => poisoned.push(id) })
  for (const table of ['leases', 'objects'] as const)
    for (const Item of frozen[table])
      await client.send(new PutItemCommand({ TableName: rig.tables[table], Item }))
  return { ...rig, client, poisoned }
}

describe('what the first version wrote', () => {
  it('is read: leases, nodes with their images, pods by node, records, the index', async () => {
    const { store, poisoned } = await inherited()
    expect((await store.leases.get(hostKey))?.object.spec?.holderIdentity).toBe('host-1')
    const node = await store.objects.get('nodes', nodeKey)
    expect(node).toMatchObject({
      receivedAtMs: 5,
      object: { status: { images: [{ sizeBytes: 1 }] } },
    })
    expect((await store.objects.podsOn('host-1')).map(({ key }) => key.name)).toEqual(['p'])
    expect((await store.records.get('floor'))?.value).toEqual({ version: 7 })
    expect((await store.objects.changes('nodes', 0)).map(({ key }) => key.name)).toEqual(['host-1'])
    expect(poisoned).toEqual([])
  })

  it('is renewed and written on', async () => {
    const { store } = await inherited()
    const renewed = await store.leases.renew({ key: hostKey, spec: held('host-1', 9) })
    expect(renewed.kind).toBe('renewed')
    const believed = await store.objects.get('nodes', nodeKey)
    const { object, fields } = believed!
    const commit = await store.commit([
      { do: 'replaceObject', believed: believed!, object, fields },
    ])
    expect(commit.kind).toBe('committed')
  })

  it('still fences: a lock that was deleted then goes on counting', async () => {
    const { store } = await inherited()
    const taken = await store.leases.create(lease(lockKey, held('b')))
    expect(taken).toMatchObject({ now: { object: { spec: { leaseTransitions: 7 } } } })
  })
})

describe('what a newer version wrote', () => {
  const newer = { N: String(schemaNumber + 1) }

  it('is left out of lists, named, and does not hide the rest', async () => {
    const { store, client, tables, poisoned } = await inherited()
    const item = frozen.objects.find(({ partition }) => partition?.S?.startsWith('nodes#'))
    const Item = { ...item, sort: { S: '/host-2' }, schema: newer }
    await client.send(new PutItemCommand({ TableName: tables.objects, Item }))
    const page = await store.objects.list('nodes', {})
    expect(page.items.map(({ key }) => key.name)).toEqual(['host-1'])
    expect([...page.poisoned, ...poisoned].join()).toContain('host-2')
  })

  it('is never overwritten by an older one: a beat is refused and changes nothing', async () => {
    const { store, client, tables } = await inherited()
    const item = frozen.leases.find(({ k }) => k?.S?.startsWith('kube-node-lease/'))
    const Item: Item = { ...item, s: newer }
    await client.send(new PutItemCommand({ TableName: tables.leases, Item }))
    const beat = store.leases.renew({ key: hostKey, spec: held('host-1', 9) })
    await expect(beat).rejects.toThrow('schema')
    const Key = { k: Item.k! }
    const read = await client.send(new GetItemCommand({ TableName: tables.leases, Key }))
    expect(read.Item).toEqual(Item)
  })
})

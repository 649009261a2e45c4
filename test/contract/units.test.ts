/** What does it cost? Counted from the units the engine reports, because money is a feature. */
import { PutItemCommand } from '@aws-sdk/client-dynamodb'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Engine, startEngine } from '../../local/engine/engine.ts'
import type { LeaseSpec } from '../../shared/kube/objects.ts'
import type { CapacityUsage } from '../../shared/store/dynamo/calls.ts'
import { objectPartition } from '../../shared/store/tables.ts'
import { clientFor, dynamoRig } from './dynamo-rig.ts'
import { add, created, held, hostKey, lease, node } from './rig.ts'

let engine: Engine
const client = () => clientFor(engine.endpoint)

beforeAll(async () => {
  engine = await startEngine()
})

afterAll(() => engine.stop())

const total = (usage: readonly CapacityUsage[]) => ({
  readUnits: usage.reduce((sum, { readUnits }) => sum + readUnits, 0),
  writeUnits: usage.reduce((sum, { writeUnits }) => sum + writeUnits, 0),
})

describe.each(['signed', 'sdk'] as const)('a renewal (%s)', (singleItemCalls) => {
  it('is one write unit and no read, with all that a host says of itself', async () => {
    const rig = await dynamoRig(client(), { singleItemCalls })
    const name = `${'a-long-name-of-a-host.'.repeat(4)}example.com`
    const key = { ...hostKey, name }
    const wanted = lease(key, held(name))
    const uid = '0c9f2f5e-4a86-4f0a-9d3c-111111111111'
    const ownerReferences = [{ apiVersion: 'v1', kind: 'Node', name, uid }]
    const stored = await created(rig.store, {
      ...wanted,
      metadata: { ...wanted.metadata, ownerReferences },
    })
    rig.usage.length = 0
    const renewal = { key, spec: held(name, 1), version: stored.version, object: stored.object }
    expect((await rig.store.leases.renew({ ...renewal, ownerUid: uid })).kind).toBe('renewed')
    expect(total(rig.usage)).toEqual({ readUnits: 0, writeUnits: 1 })
    expect(rig.usage.length).toBe(1)
  })

  it('that is refused reads nothing either', async () => {
    const rig = await dynamoRig(client(), { singleItemCalls })
    await created(rig.store, lease(hostKey, held('host-1')))
    rig.usage.length = 0
    const spec: LeaseSpec = held('host-2', 1)
    expect((await rig.store.leases.renew({ key: hostKey, spec })).kind).toBe('notRenewal')
    expect(total(rig.usage).readUnits).toBe(0)
  })
})

describe('a page', () => {
  it('of 500 of 5,000 nodes reads about 500', async () => {
    const rig = await dynamoRig(client())
    const names = Array.from({ length: 5_000 }, (_, n) => `node-${n}`)
    for (let at = 0; at < names.length; at += 100) {
      const steps = names.slice(at, at + 100).map((name) => ({
        do: 'createObject' as const,
        resource: 'nodes',
        object: node(name),
        fields: {},
      }))
      await rig.store.commit(steps)
    }
    rig.usage.length = 0
    const first = await rig.store.objects.list('nodes', { limit: 500 })
    const after = first.items.at(-1)!.key
    const second = await rig.store.objects.list('nodes', { limit: 500, after })
    expect([...first.items, ...second.items].map(({ key }) => key.name)).toEqual(
      [...names].sort().slice(0, 1_000),
    )
    const read = rig.usage.reduce((sum, { items }) => sum + items, 0)
    expect(read).toBeLessThan(2 * 700)
  })

  it('leaves out what a newer version wrote, and says so', async () => {
    const lost: string[] = []
    const rig = await dynamoRig(client(), { onPoisoned: (id) => lost.push(id) })
    await add(rig.store, 'nodes', node('n1'))
    await poison(rig.tables.objects, '/n2')
    const page = await rig.store.objects.list('nodes', {})
    expect(page.items.map(({ key }) => key.name)).toEqual(['n1'])
    expect(page.poisoned).toEqual(['nodes /n2'])
    expect(lost).toEqual(['nodes /n2'])
    const get = rig.store.objects.get('nodes', { namespace: '', name: 'n2' })
    await expect(get).rejects.toMatchObject({ code: 500 })
  })
})

async function poison(table: string, sort: string): Promise<void> {
  const Item = {
    partition: { S: objectPartition('nodes', sort) },
    sort: { S: sort },
    schema: { N: '999' },
    version: { N: '1' },
    text: { S: 'not what this version expects' },
  }
  await client().send(new PutItemCommand({ TableName: table, Item }))
}

import { describe, expect, it } from 'vitest'
import type { Node } from '../../../../shared/kube/objects.ts'
import { nodeName } from '../../../builders/objects.ts'
import { SmallFleet } from '../small-fleet.ts'

const node = async (fleet: SmallFleet, name: string) =>
  (await fleet.node(name))?.object as Node | undefined

describe('pod CIDRs', () => {
  const settings = { allocateNodeCidrs: true, clusterCidr: '10.0.0.0/22' }

  it('every node gets a block of its own', async () => {
    const fleet = new SmallFleet({ settings })
    await fleet.addNodes(3, ['a'])
    await fleet.run(5_000, fleet.names)
    const blocks = await Promise.all(fleet.names.map((name) => node(fleet, name)))
    expect(blocks.map((one) => one?.spec?.podCIDR)).toEqual([
      '10.0.0.0/24',
      '10.0.1.0/24',
      '10.0.2.0/24',
    ])
  })

  it('says so when the range has none left', async () => {
    const fleet = new SmallFleet({ settings })
    await fleet.addNodes(5, ['a'])
    await fleet.run(5_000, fleet.names)
    const { items } = await fleet.store.objects.list('events', {})
    expect(items.map(({ object }) => object)).toMatchObject([
      {
        source: { component: 'cidrAllocator' },
        type: 'Normal',
        reason: 'CIDRNotAvailable',
        message: expect.stringMatching(/^Node .* status is now: CIDRNotAvailable$/),
        involvedObject: { kind: 'Node' },
        count: 1,
      },
    ])
    const blocks = await Promise.all(fleet.names.map((name) => node(fleet, name)))
    expect(new Set(blocks.map((one) => one?.spec?.podCIDR)).size).toBe(5)
  })

  it('a block is free again when its node is gone, however lately it was given', async () => {
    const fleet = new SmallFleet({ settings })
    await fleet.addNodes(4, ['a'])
    await fleet.run(5_000, fleet.names)
    await fleet.must([{ do: 'deleteObject', believed: (await fleet.node(nodeName(1)))! }])
    await fleet.addNodes(1, ['a'], 4)
    await fleet.run(10_000, fleet.names)
    expect((await node(fleet, nodeName(4)))?.spec?.podCIDR).toBe('10.0.1.0/24')
  })

  it('takes the mask size of each family', async () => {
    const clusterCidr = '10.0.0.0/16,fd00::/48'
    const masks = { nodeCidrMaskSizeIpv4: 25, nodeCidrMaskSizeIpv6: 60 }
    const fleet = new SmallFleet({ settings: { ...settings, clusterCidr, ...masks } })
    await fleet.addNodes(2, ['a'])
    await fleet.run(5_000, fleet.names)
    const blocks = await Promise.all(fleet.names.map((name) => node(fleet, name)))
    expect(blocks.map((one) => one?.spec?.podCIDRs)).toEqual([
      ['10.0.0.0/25', 'fd00::/60'],
      ['10.0.0.128/25', 'fd00:0:0:10::/60'],
    ])
  })

  it('two monitors never give the same block', async () => {
    const fleet = new SmallFleet({ settings: { ...settings, clusterCidr: '10.0.0.0/16' } })
    const { settings: all, clock, store } = fleet
    const other = new SmallFleet({ settings: all, store: () => store, deps: { clock } })
    await Promise.all([fleet.tick(), other.tick()])
    for (let at = 0; at < 8; at += 1) {
      await fleet.addNodes(4, ['a'], at * 4)
      fleet.nowMs += 5_000
      await Promise.all([fleet.tick(), other.tick()])
    }
    fleet.nowMs += 5_000
    await fleet.tick()
    const blocks = await Promise.all(fleet.names.map((name) => node(fleet, name)))
    expect(new Set(blocks.map((one) => one?.spec?.podCIDR)).size).toBe(32)
  })

  it('says again only after five minutes, and at once about another node', async () => {
    const fleet = new SmallFleet({ settings: { ...settings, clusterCidr: '10.0.0.0/24' } })
    await fleet.addNodes(2, ['a'])
    const told = async () => {
      const { items } = await fleet.store.objects.list('events', {})
      return items.map(({ object }) => (object as { count?: number }).count).sort()
    }
    await fleet.run(300_000, fleet.names)
    expect(await told()).toEqual([1])
    await fleet.run(5_000, fleet.names)
    expect(await told()).toEqual([2])
    await fleet.addNodes(1, ['a'], 2)
    await fleet.run(5_000, fleet.names)
    expect(await told()).toEqual([1, 2])
  })

  it('gives nothing while it only observes, and nothing where it is off', async () => {
    for (const off of [{ observe: true }, { allocateNodeCidrs: false }]) {
      const fleet = new SmallFleet({ settings: { ...settings, ...off } })
      await fleet.addNodes(1, ['a'])
      await fleet.run(5_000, fleet.names)
      expect((await node(fleet, nodeName(0)))?.spec?.podCIDR).toBeUndefined()
    }
  })

  it('leaves a node that is being deleted, and one that has a block', async () => {
    const fleet = new SmallFleet({ settings })
    await fleet.addNodes(3, ['a'])
    const put = async (at: number, change: (before: Node) => Node) => {
      const believed = (await fleet.node(nodeName(at)))!
      const { fields } = believed
      const object = change(believed.object as Node)
      await fleet.must([
        { do: 'replaceObject', believed, object, fields, receivedAtMs: fleet.nowMs },
      ])
    }
    const deletionTimestamp = '2026-01-01T00:00:00Z'
    await put(0, (one) => ({ ...one, metadata: { ...one.metadata, deletionTimestamp } }))
    await put(1, (one) => ({ ...one, spec: { ...one.spec, podCIDR: '10.0.0.0/24' } }))
    await fleet.run(5_000, fleet.names)
    const specs = await Promise.all(fleet.names.map((name) => node(fleet, name)))
    expect(specs.map((one) => [one?.spec?.podCIDR, one?.spec?.podCIDRs])).toEqual([
      [undefined, undefined],
      ['10.0.0.0/24', undefined],
      ['10.0.1.0/24', ['10.0.1.0/24']],
    ])
  })

  it('says why it gives nothing when what nodes hold does not fit', async () => {
    const fleet = new SmallFleet({ settings })
    await fleet.addNodes(2, ['a'])
    const believed = (await fleet.node(nodeName(0)))!
    const object = { ...believed.object, spec: { podCIDR: '172.16.0.0/24' } } as Node
    await fleet.must([{ do: 'replaceObject', believed, object, fields: believed.fields }])
    await fleet.run(5_000, fleet.names)
    expect(fleet.logs.map(({ message }) => message).join()).toContain('no pod CIDRs are given')
    expect((await node(fleet, nodeName(1)))?.spec?.podCIDR).toBeUndefined()
  })

  it('goes on behind the last block it gave, also after a restart', async () => {
    const fleet = new SmallFleet({ settings })
    await fleet.addNodes(2, ['a'])
    await fleet.run(5_000, fleet.names)
    for (const at of [0, 1])
      await fleet.must([{ do: 'deleteObject', believed: (await fleet.node(nodeName(at)))! }])
    fleet.restart()
    await fleet.addNodes(1, ['a'], 2)
    await fleet.run(5_000)
    expect((await node(fleet, nodeName(2)))?.spec?.podCIDR).toBe('10.0.2.0/24')
  })

  it('serves fifty nodes a tick', async () => {
    const fleet = new SmallFleet({ settings: { ...settings, clusterCidr: '10.0.0.0/16' } })
    await fleet.addNodes(60, ['a'])
    const served = async () => {
      const all = await Promise.all(fleet.names.map((name) => node(fleet, name)))
      return all.filter((one) => one?.spec?.podCIDR).length
    }
    await fleet.tick()
    expect(await served()).toBe(50)
    fleet.nowMs += 5_000
    await fleet.tick()
    expect(await served()).toBe(60)
  })
})

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
})

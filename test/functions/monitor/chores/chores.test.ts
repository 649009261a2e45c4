/** What a monitor does beside judging, seen in the store. */
import { describe, expect, it } from 'vitest'
import { MOST_ASKED } from '../../../../functions/monitor/chores/cloud.ts'
import type { Node, Pod } from '../../../../shared/kube/objects.ts'
import type { Cells } from '../../../../shared/kube/resources/cells.ts'
import { formatTime } from '../../../../shared/kube/time.ts'
import { decodeCells } from '../../../../shared/lifecycle/cells.ts'
import type { CloudAnswer, CloudInstances } from '../../../../shared/lifecycle/cloud.ts'
import { nodeName, SmallFleet } from '../small-fleet.ts'

const node = async (fleet: SmallFleet, name: string) =>
  (await fleet.node(name))?.object as Node | undefined

async function patchPod(fleet: SmallFleet, name: string, metadata: Pod['metadata']) {
  const believed = (await fleet.pod(name))!
  const object = { ...believed.object, metadata: { ...believed.object.metadata, ...metadata } }
  await fleet.must([{ do: 'replaceObject', believed, object, fields: believed.fields }])
}

describe('garbage', () => {
  it('the lease and the pods of a node that is gone are collected', async () => {
    const fleet = new SmallFleet()
    await fleet.addNodes(2, ['a'])
    await fleet.addPod('web', nodeName(0))
    await fleet.run(20_000, fleet.names)
    const believed = (await fleet.node(nodeName(0)))!
    await fleet.must([{ do: 'deleteObject', believed }])
    await fleet.run(85_000, fleet.names)
    const key = { namespace: 'kube-node-lease', name: nodeName(0) }
    expect(await fleet.store.leases.get(key)).toBeUndefined()
    expect(await fleet.pod('web')).toBeUndefined()
  })

  it.each([
    { when: 'the other owner lives', other: nodeName(1), stays: true },
    { when: 'no owner is left', other: 'nobody', stays: false },
  ])('of a lease with two owners only the dead ones go: $when', async ({ other, stays }) => {
    const fleet = new SmallFleet()
    await fleet.addNodes(2, ['a'])
    const key = { namespace: 'kube-node-lease', name: nodeName(0) }
    const uid = (await fleet.node(other))?.uid ?? 'x'
    const believed = (await fleet.store.leases.get(key))!
    const { metadata, ...lease } = believed.object
    const owner = { apiVersion: 'v1', kind: 'Node', name: other, uid }
    const ownerReferences = [...metadata.ownerReferences!, owner]
    await fleet.store.leases.replace(
      { ...lease, metadata: { ...metadata, ownerReferences } },
      believed,
    )
    await fleet.must([{ do: 'deleteObject', believed: (await fleet.node(nodeName(0)))! }])
    await fleet.run(25_000, [nodeName(1)])
    const owners = (await fleet.store.leases.get(key))?.object.metadata.ownerReferences
    expect(owners?.map((one) => one.uid)).toEqual(stays ? [uid] : undefined)
  })

  it('a pod that its host cannot confirm is removed while the host is well', async () => {
    const fleet = new SmallFleet()
    await fleet.addNodes(2, ['a'])
    await fleet.addPod('web', nodeName(0))
    await patchPod(fleet, 'web', {
      deletionTimestamp: formatTime(fleet.nowMs + 30_000),
      deletionGracePeriodSeconds: 30,
    })
    await fleet.run(55_000, fleet.names)
    expect(await fleet.pod('web')).toBeDefined()
    await fleet.run(30_000, fleet.names)
    expect(await fleet.pod('web')).toBeUndefined()
  })

  it('a pod that was marked to go at once, by somebody who died then, goes', async () => {
    const fleet = new SmallFleet()
    await fleet.addNodes(1, ['a'])
    await fleet.addPod('web', nodeName(0))
    const now = formatTime(fleet.nowMs)
    await patchPod(fleet, 'web', { deletionTimestamp: now, deletionGracePeriodSeconds: 0 })
    await fleet.run(5_000, fleet.names)
    expect(await fleet.pod('web')).toBeUndefined()
  })
})

describe('the summary of the fleet', () => {
  const cells = async (fleet: SmallFleet) => {
    const { items } = await fleet.store.objects.list('cells', {})
    return items.map(({ object, version, key }) => ({ ...(object as Cells), version, key }))
  }

  it('has a word for every node, and is written only when one changed', async () => {
    const fleet = new SmallFleet()
    await fleet.addNodes(4, ['a', 'b'])
    await fleet.run(10_000, fleet.names)
    const before = await cells(fleet)
    expect(before.map(({ zone }) => zone)).toEqual(['a', 'b'])
    expect(
      before.flatMap(({ nodes = '' }) => decodeCells(nodes)).map(({ state }) => state),
    ).toEqual(['ready', 'ready', 'ready', 'ready'])
    await fleet.run(30_000, fleet.names)
    expect(await cells(fleet)).toEqual(before)

    await fleet.run(60_000, fleet.names.slice(1))
    const [a, b] = await cells(fleet)
    expect(decodeCells(a?.nodes ?? '')[0]?.state).toBe('unknown')
    expect(b).toEqual(before[1])
  })

  it('forgets a zone whose nodes are gone', async () => {
    const fleet = new SmallFleet()
    await fleet.addNodes(2, ['a', 'b'])
    await fleet.run(10_000, fleet.names)
    const believed = (await fleet.node(nodeName(1)))!
    await fleet.must([{ do: 'deleteObject', believed }])
    await fleet.run(10_000, fleet.names)
    expect((await cells(fleet)).map(({ zone }) => zone)).toEqual(['a'])
  })

  it('keeps a line a minute for an hour', async () => {
    const fleet = new SmallFleet({ settings: { nodeMonitorPeriodMs: 20_000 } })
    await fleet.addNodes(3, ['a'])
    await fleet.run(65 * 60_000, fleet.names)
    const history = (await fleet.fleetStatus())?.history ?? []
    expect(history).toHaveLength(60)
    expect(history.at(-1)?.split(' ').slice(1)).toEqual(['3', '0', '0'])
    const [last, first] = [history.at(-1), history[0]].map((line) => Number(line?.split(' ')[0]))
    expect(last! - first!).toBe(59 * 60)
  })
})

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
    expect(fleet.logs.some(({ message }) => message.includes('CIDRNotAvailable'))).toBe(true)
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

describe('the cloud check', () => {
  const asked = async (answer: CloudAnswer | Error) => {
    const find = async () => {
      if (answer instanceof Error) throw answer
      return answer
    }
    const fleet = new SmallFleet({ deps: { instances: { find } } })
    await fleet.addNodes(4, ['a', 'b'])
    await fleet.run(65_000, fleet.names.slice(1))
    return { fleet, lost: nodeName(0) }
  }

  it('deletes a node whose machine is gone, with its lease', async () => {
    const { fleet, lost } = await asked('gone')
    expect(await fleet.node(lost)).toBeUndefined()
    const key = { namespace: 'kube-node-lease', name: lost }
    expect(await fleet.store.leases.get(key)).toBeUndefined()
    expect(await fleet.node(nodeName(1))).toBeDefined()
  })

  it('asks about everybody in turn, however many there are', async () => {
    const asked = new Set<string>()
    const find: CloudInstances['find'] = async (instance) => {
      asked.add('name' in instance ? instance.name : '')
      return 'unknown'
    }
    const fleet = new SmallFleet({ deps: { instances: { find } } })
    await fleet.addNodes(MOST_ASKED + 20, ['a'])
    await fleet.run(90_000)
    expect(asked.size).toBe(MOST_ASKED + 20)
  })

  it('taints a node whose machine is switched off', async () => {
    const { fleet, lost } = await asked('shutdown')
    expect(await fleet.taintsOf(lost)).toContain('shutdown:NoSchedule')
  })

  it.each(['running', 'unknown', new Error('throttled')] as const)(
    'leaves a node alone when the answer is %s',
    async (answer) => {
      const { fleet, lost } = await asked(answer)
      expect(await fleet.taintsOf(lost)).toEqual(['unreachable:NoSchedule'])
    },
  )
})

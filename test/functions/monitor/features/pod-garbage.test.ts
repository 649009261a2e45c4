import { describe, expect, it } from 'vitest'
import { formatTime } from '../../../../shared/kube/time.ts'
import { nodeName } from '../../../builders/objects.ts'
import { SmallFleet } from '../small-fleet.ts'

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
    await fleet.patchPod('web', {
      deletionTimestamp: formatTime(fleet.nowMs + 30_000),
      deletionGracePeriodSeconds: 30,
    })
    await fleet.run(55_000, fleet.names)
    expect(await fleet.pod('web')).toBeDefined()
    await fleet.run(30_000, fleet.names)
    expect(await fleet.pod('web')).toBeUndefined()
  })
})

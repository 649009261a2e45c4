import { describe, expect, it } from 'vitest'
import type { Pod } from '../../../shared/kube/objects.ts'
import { memoryStore } from '../../../shared/store/memory/store.ts'
import type { Store, StoredObject } from '../../../shared/store/ports.ts'
import { SmallFleet } from './small-fleet.ts'

const SILENT_MS = 60_000
const isOfPods = (believed: unknown) => (believed as StoredObject | undefined)?.resource === 'pods'

describe('a tick', () => {
  it('leaves a fleet that beats alone', async () => {
    const fleet = new SmallFleet()
    await fleet.addNodes(3, ['a'])
    await fleet.run(120_000, fleet.names)
    expect((await fleet.readyOf('host-00001'))?.status).toBe('True')
    expect(await fleet.evicting()).toEqual([])
  })

  it('marks a silent host, taints it when its zone grants a token, and heals it when it is back', async () => {
    const fleet = new SmallFleet()
    await fleet.addNodes(4, ['a', 'b'])
    const alive = fleet.names.slice(1)
    await fleet.run(SILENT_MS, alive)
    expect((await fleet.readyOf('host-00000'))?.reason).toBe('NodeStatusUnknown')
    expect(await fleet.taintsOf('host-00000')).toEqual(['unreachable:NoSchedule'])

    await fleet.run(20_000, alive)
    expect(await fleet.evicting()).toEqual(['host-00000'])
    await fleet.report('host-00000')
    await fleet.run(5_000, fleet.names)
    expect(await fleet.taintsOf('host-00000')).toEqual([])
  })

  it('copies the labels of system and architecture to their old names', async () => {
    const fleet = new SmallFleet()
    const labels = { 'kubernetes.io/os': 'linux', 'kubernetes.io/arch': 'arm64' }
    await fleet.addNode('host', 'a', { labels: { ...labels, 'beta.kubernetes.io/arch': 'old' } })
    await fleet.run(5_000, fleet.names)
    expect((await fleet.node('host'))?.object.metadata.labels).toEqual({
      ...labels,
      'beta.kubernetes.io/os': 'linux',
      'beta.kubernetes.io/arch': 'arm64',
    })
  })

  it('shows zones and the fleet as objects', async () => {
    const fleet = new SmallFleet()
    await fleet.addNodes(4, ['a', 'b'])
    await fleet.run(SILENT_MS, fleet.names.slice(1))
    expect(await fleet.zoneStatus('a')).toMatchObject({
      state: 'Normal',
      nodes: 2,
      notReady: 1,
      unhealthyShare: '0.5',
    })
    expect(await fleet.fleetStatus()).toMatchObject({
      disruption: 'none',
      blind: false,
      mode: 'act',
      held: [],
    })
  })

  it('evicts a pod when its time on a tainted host is up', async () => {
    const fleet = new SmallFleet()
    await fleet.addNodes(4, ['a', 'b'])
    await fleet.addPod('web', 'host-00000')
    await fleet.run(SILENT_MS + 20_000, fleet.names.slice(1))
    expect((await fleet.pod('web'))?.object.metadata.deletionTimestamp).toBeUndefined()
    await fleet.run(305_000, fleet.names.slice(1))
    expect((await fleet.pod('web'))?.object.metadata.deletionTimestamp).toBeDefined()
  })

  it('marks a pod it could not write although its host reports by then that it is ill', async () => {
    let isFailing = false
    const refusesPods = (store: Store): Store => ({
      ...store,
      commit: async (steps) => {
        const isPod = steps.some((step) => 'believed' in step && isOfPods(step.believed))
        if (isFailing && isPod) throw new Error('the store is out of reach')
        return await store.commit(steps)
      },
    })
    const fleet = new SmallFleet({ store: (clock) => refusesPods(memoryStore({ clock })) })
    await fleet.addNodes(2, ['a'])
    await fleet.addPod('web', 'host-00000')
    await fleet.run(55_000, ['host-00001'])
    isFailing = true
    await fleet.run(5_000, ['host-00001'])
    isFailing = false
    expect((await fleet.readyOf('host-00000'))?.status).toBe('Unknown')
    await fleet.report('host-00000', 'False')
    await fleet.run(5_000, fleet.names)
    const web = (await fleet.pod('web'))?.object as Pod
    expect(web.status?.conditions).toMatchObject([{ type: 'Ready', status: 'False' }])
  })

  it('evicts nobody when every zone is down', async () => {
    const fleet = new SmallFleet()
    await fleet.addNodes(6, ['a', 'b'])
    for (const name of fleet.names) await fleet.addPod(`on-${name}`, name)
    await fleet.run(900_000)
    expect(await fleet.evicting()).toEqual([])
    expect(await fleet.fleetStatus()).toMatchObject({
      disruption: 'entered',
      held: ['fleetDisrupted'],
    })
    const { items } = await fleet.store.objects.list('pods', {})
    expect(items.filter(({ object }) => object.metadata.deletionTimestamp)).toEqual([])
  })
})

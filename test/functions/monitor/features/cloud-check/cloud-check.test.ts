import { describe, expect, it } from 'vitest'
import { MOST_ASKED } from '../../../../../functions/monitor/features/cloud-check/cloud-check.ts'
import type { CloudAnswer, CloudInstances } from '../../../../../shared/lifecycle/cloud/cloud.ts'
import { nodeName } from '../../../../builders/objects.ts'
import { SmallFleet } from '../../small-fleet.ts'

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
    const { items } = await fleet.store.objects.list('events', {})
    expect(items.map(({ object }) => object)).toMatchObject([
      {
        source: { component: 'cloud-node-lifecycle-controller' },
        type: 'Normal',
        reason: 'DeletingNode',
        message: `Deleting node ${lost} because it does not exist in the cloud provider`,
        involvedObject: { kind: 'Node', name: lost },
      },
    ])
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

import { describe, expect, it } from 'vitest'
import type { Node } from '../../../../shared/kube/objects.ts'
import { assignBlocks, openPools } from '../../../../shared/lifecycle/cidr/assignment.ts'
import { checkRanges } from '../../../../shared/lifecycle/cidr/config.ts'
import type { CidrPool } from '../../../../shared/lifecycle/cidr/pool.ts'
import { usedCount, withHeld } from './held-blocks.ts'

const node = (name: string, podCIDRs?: string[]): Node => ({
  metadata: { name },
  spec: { podCIDRs },
})

/** One IPv6 block and four of IPv4. */
function pools(nodes: readonly Node[] = []): CidrPool[] {
  const ranges = checkRanges({
    clusterCIDRs: ['10.0.0.0/22', 'fd00::/64'],
    maskSizes: [24, 64],
    serviceCIDRs: [],
  })
  const opened = ranges.ok ? openPools(ranges.value, nodes) : ranges
  if (!opened.ok) throw new Error(opened.problem)
  return opened.value
}

describe('dual stack', () => {
  it('takes nothing from the first range when the second has run dry', () => {
    const first = assignBlocks(pools(), node('a'))
    if (first.kind !== 'assign') throw new Error(first.kind)
    const second = assignBlocks(first.pools, node('b'))
    expect(second).toEqual({ kind: 'none' })

    const freed = first.pools.map((pool) => withHeld(pool, []))
    expect(assignBlocks(freed, node('b'))).toMatchObject({
      kind: 'assign',
      podCIDRs: ['10.0.1.0/24', 'fd00::/64'],
    })
  })
})

describe('start-up', () => {
  it.each([
    { when: 'a node is of another range', held: ['172.16.0.0/24'] },
    { when: 'a node has the families the other way round', held: ['fd00::/64', '10.0.0.0/24'] },
    {
      when: 'a node has more blocks than there are ranges',
      held: ['10.0.0.0/24', 'fd00::/64', '::/0'],
    },
    { when: 'what a node has is no range', held: ['ten'] },
  ])('stops when $when', ({ held }) => {
    expect(() => pools([node('odd', held)])).toThrow(/node odd holds/)
  })

  it('reads the singular field of a node that has only that', () => {
    const old: Node = { metadata: { name: 'old' }, spec: { podCIDR: '10.0.0.0/24' } }
    expect(pools([old]).map(usedCount)).toEqual([1, 0])
    expect(assignBlocks(pools([old]), old)).toEqual({ kind: 'keep' })
  })
})

it('a service range of the other family takes no block', () => {
  const ranges = checkRanges({
    clusterCIDRs: ['10.0.0.0/22'],
    maskSizes: [24],
    serviceCIDRs: ['10.0.1.0/24', 'fd00::/108'],
  })
  const opened = ranges.ok ? openPools(ranges.value, []) : ranges
  expect(opened.ok && opened.value.map(usedCount)).toEqual([1])
})

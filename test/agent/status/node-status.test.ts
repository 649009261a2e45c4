import { describe, expect, it } from 'vitest'
import { toCondition } from '../../../agent/machine/checks.ts'
import { computeNodeStatus } from '../../../agent/status/node-status.ts'
import { statusPatch } from '../../../agent/status/patch.ts'
import type { Node } from '../../../shared/kube/objects.ts'
import { someSetterInput } from './update-input.ts'

const raid = toCondition('Raid', { code: 1, output: 'md0 degraded' })
const disk = toCondition('SmartDisk', { code: 0, output: 'fine' })
const others = { type: 'KernelDeadlock', status: 'False', reason: 'KernelHasNoDeadlock' } as const

const status = (node: Node, customConditions = [raid, disk], areChecksKnown = true) =>
  computeNodeStatus(node, { ...someSetterInput, customConditions, areChecksKnown }).node
const types = (node: Node) => node.status?.conditions?.map(({ type }) => type) ?? []

describe('the condition of a check', () => {
  const before = status({ metadata: { name: 'a' }, status: { conditions: [others] } })

  it('goes with its check, and no other condition with it', () => {
    const after = status(before, [disk])
    expect(types(before).filter((type) => !types(after).includes(type))).toEqual(['Raid'])
    expect(statusPatch(before, after)).toMatchObject({
      status: { conditions: [{ $patch: 'delete', type: 'Raid' }] },
    })
  })

  it('stays until the checks have been run', () => {
    expect(types(status(before, [], false))).toEqual(types(before))
  })
})

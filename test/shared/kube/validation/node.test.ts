import { describe, expect, it } from 'vitest'
import type { Node } from '../../../../shared/kube/objects.ts'
import {
  validateNode,
  validateNodeStatusUpdate,
  validateNodeUpdate,
} from '../../../../shared/kube/validation/node.ts'
import { bullets } from './bullets.ts'

const node = (rest: Omit<Node, 'metadata'>): Node => ({
  metadata: { name: 'n', uid: 'u' },
  ...rest,
})

describe('what kubectl prints of a node', () => {
  it.each<{ when: string; node: Node; bullet: string }>([
    {
      when: 'a taint has an unknown effect',
      node: node({ spec: { taints: [{ key: 'a', effect: 'Nope' as 'NoExecute' }] } }),
      bullet:
        'metadata.taints[0].effect: Unsupported value: "Nope": ' +
        'supported values: "NoSchedule", "PreferNoSchedule", "NoExecute"',
    },
    {
      when: 'a taint has no effect',
      node: node({ spec: { taints: [{ key: 'a', effect: '' as 'NoExecute' }] } }),
      bullet: 'metadata.taints[0].effect: Required value',
    },
    {
      when: 'a taint comes twice',
      node: node({
        spec: {
          taints: [
            { key: 'a', value: '1', effect: 'NoSchedule' },
            { key: 'a', value: '2', effect: 'NoSchedule' },
          ],
        },
      }),
      bullet:
        'metadata.taints[1]: Duplicate value: {"key":"a","value":"2","effect":"NoSchedule"}: ' +
        'taints must be unique by key and effect pair',
    },
    {
      when: 'two blocks are of one family',
      node: node({ spec: { podCIDRs: ['10.0.0.0/16', '10.1.0.0/16'] } }),
      bullet:
        'spec.podCIDRs: Invalid value: ["10.0.0.0/16","10.1.0.0/16"]: ' +
        'may specify no more than one CIDR for each IP family',
    },
    {
      when: 'capacity is negative',
      node: node({ status: { capacity: { cpu: '-1' } } }),
      bullet: 'status.capacity.cpu: Invalid value: "-1": must be greater than or equal to 0',
    },
    {
      when: 'half a device is offered',
      node: node({ status: { capacity: { 'example.com/gpu': '500m' } } }),
      bullet: 'status.capacity.example.com/gpu: Invalid value: "500m": must be an integer',
    },
  ])('when $when', ({ node, bullet }) => {
    expect(bullets(validateNode(node))).toEqual([bullet])
    // The main path runs the checks of creation and of updates; nothing is said twice.
    expect(bullets(validateNodeUpdate(node, { ...node, spec: {} }))).toEqual([bullet])
  })

  it('when what may be set once is changed', () => {
    const old = node({ spec: { podCIDRs: ['10.0.0.0/16'], providerID: 'a', externalID: 'x' } })
    const change = node({ spec: { podCIDRs: ['10.1.0.0/16'], providerID: 'b' } })
    expect(bullets(validateNodeStatusUpdate(change, old))).toEqual([
      'spec.podCIDRs: Forbidden: node updates may not change podCIDR except from "" to valid',
      'spec.providerID: Invalid value: "b": field cannot be modified once set',
      'spec.externalID: Forbidden: may not be updated',
    ])
    expect(
      bullets(validateNodeStatusUpdate(node({}), { ...old, spec: { providerID: 'a' } })),
    ).toEqual(['spec.providerID: Invalid value: "": field cannot be cleared once set'])
  })
})

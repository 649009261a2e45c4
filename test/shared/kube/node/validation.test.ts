import { describe, expect, it } from 'vitest'
import {
  validateNode,
  validateNodeStatusUpdate,
  validateNodeUpdate,
} from '../../../../shared/kube/node/validation.ts'
import type { Node } from '../../../../shared/kube/objects.ts'
import { bullets, pairs } from '../resource-writes.ts'

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

  it.each<{ when: string; node: Node; errors: readonly string[] }>([
    {
      when: 'the second of two blocks is none',
      node: node({ spec: { podCIDRs: ['10.0.0.0/16', 'nonsense'] } }),
      errors: ['spec.podCIDRs InternalError', 'spec.podCIDRs Invalid', 'spec.podCIDRs[1] Invalid'],
    },
    {
      when: 'a declared feature goes on in lower case',
      node: node({ status: { declaredFeatures: ['A/sub', 'A/subOther'] } }),
      errors: [],
    },
    {
      when: 'a declared feature begins in lower case',
      node: node({ status: { declaredFeatures: ['a/Sub'] } }),
      errors: ['status.declaredFeatures[0] Invalid'],
    },
    {
      when: 'a declared feature is too long',
      node: node({ status: { declaredFeatures: ['A'.repeat(253), 'A'.repeat(254)] } }),
      errors: ['status.declaredFeatures[1] Invalid'],
    },
    {
      when: 'a declared feature is no name and comes twice',
      node: node({ status: { declaredFeatures: ['A-b', 'A-b'] } }),
      errors: [
        'status.declaredFeatures[0] Invalid',
        'status.declaredFeatures[1] Duplicate',
        'status.declaredFeatures[1] Invalid',
      ],
    },
    {
      when: 'half a secret is offered',
      node: node({ status: { capacity: { secrets: '500m', 'ephemeral-storage': '500m' } } }),
      errors: ['status.capacity.secrets Invalid'],
    },
  ])('names every fault when $when', ({ node, errors }) => {
    expect(pairs(validateNode(node))).toEqual(errors)
  })

  it('when a finalizer without a domain comes through the status', () => {
    const next: Node = { metadata: { name: 'n', uid: 'u', finalizers: ['mine'] } }
    expect(pairs(validateNodeStatusUpdate(next, node({})))).toEqual([
      'metadata.finalizers[0] Invalid',
    ])
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

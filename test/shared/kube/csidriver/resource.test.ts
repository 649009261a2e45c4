import { describe, expect, it } from 'vitest'
import { csiDrivers } from '../../../../shared/kube/csidriver/resource.ts'
import { create, pairs, update } from '../resource-writes.ts'

const at = { metadata: { name: 'd.example.com', resourceVersion: '1' } }

describe('a CSIDriver', () => {
  it('is complete with nothing but its name', () => {
    const { stored, errors } = create(csiDrivers, { metadata: { name: 'd.example.com' } })
    expect(errors).toEqual([])
    expect(stored.spec).toMatchObject({
      attachRequired: true,
      fsGroupPolicy: 'ReadWriteOnceWithFSType',
      volumeLifecycleModes: ['Persistent'],
    })
    expect(csiDrivers.columns.map(({ cell }) => cell(stored, 0))).toEqual([
      ...['d.example.com', true, false, false, '<unset>', false, 'Persistent', '<unknown>'],
    ])
  })

  it.each([
    { spec: { fsGroupPolicy: 'Some' }, errors: ['spec.fsGroupPolicy NotSupported'] },
    { spec: { volumeLifecycleModes: ['X'] }, errors: ['spec.volumeLifecycleModes NotSupported'] },
    {
      spec: { tokenRequests: [{ audience: 'a', expirationSeconds: 1 }, { audience: 'a' }] },
      errors: [
        'spec.tokenRequests[0].expirationSeconds Invalid',
        'spec.tokenRequests[1].audience Duplicate',
      ],
    },
    {
      spec: { nodeAllocatableUpdatePeriodSeconds: 9 },
      errors: ['spec.nodeAllocatableUpdatePeriodSeconds Invalid'],
    },
    {
      spec: { serviceAccountTokenInSecrets: true },
      errors: ['spec.serviceAccountTokenInSecrets Invalid'],
    },
  ])('with $spec: $errors', ({ spec, errors }) => {
    expect(pairs(create(csiDrivers, { metadata: { name: 'd' }, spec }).errors)).toEqual(errors)
  })

  it('keeps how volumes are attached and which it serves', () => {
    const old = { ...at, spec: {} }
    const to = (spec: object) => pairs(update(csiDrivers, { object: { ...at, spec }, old }).errors)
    expect(to({ podInfoOnMount: true })).toEqual([])
    expect(to({ attachRequired: false })).toEqual(['spec.attachedRequired Invalid'])
    expect(to({ volumeLifecycleModes: ['Ephemeral'] })).toEqual([
      'spec.volumeLifecycleModes Invalid',
    ])
  })
})

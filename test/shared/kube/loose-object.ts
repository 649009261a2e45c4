/**
 * Objects that look like Kubernetes from afar: real member names, wild values, hostile keys. For
 * fuzzing.
 */
import fc from 'fast-check'
import { expect } from 'vitest'

const NAMES = [
  ...[
    'metadata',
    'spec',
    'status',
    'labels',
    'annotations',
    'finalizers',
    'ownerReferences',
    'uid',
  ],
  ...['taints', 'conditions', 'addresses', 'capacity', 'podCIDRs', 'type', 'key', 'name', 'a', 'b'],
  ...['holderIdentity', 'renewTime', 'leaseDurationSeconds', 'containers', 'env', 'images'],
]
const HOSTILE = ['__proto__', 'constructor', 'prototype', 'toString', '', '$patch', '$retainKeys']
const DIRECTIVES = [
  ...['$setElementOrder/conditions', '$setElementOrder/finalizers', '$setElementOrder/a'],
  ...['$deleteFromPrimitiveList/finalizers', '$deleteFromPrimitiveList/podCIDRs'],
]
const WORDS = ['replace', 'delete', 'merge', 'Ready', 'a', 'b', '', '2024-01-02T03:04:05Z', '1Gi']

const key = fc.constantFrom(...NAMES, ...NAMES, ...HOSTILE, ...DIRECTIVES)
const leaf = fc.oneof(
  fc.constantFrom(...WORDS, null, true, 0, 1, -1, 1.5, 2 ** 40),
  fc.string({ maxLength: 4 }),
)

export const { value: looseValue } = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    leaf,
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(key, tie('value'), { maxKeys: 5 }),
  ),
}))

/** Read back from text, so that `__proto__` is an own member, as from a request. */
export const looseObject: fc.Arbitrary<Record<string, unknown>> = fc
  .dictionary(key, looseValue, { maxKeys: 5 })
  .map((value) => JSON.parse(JSON.stringify(value)))

const PROTOTYPE_MEMBERS = Object.getOwnPropertyNames(Object.prototype).length

export function unpolluted(): void {
  expect(Object.getOwnPropertyNames(Object.prototype)).toHaveLength(PROTOTYPE_MEMBERS)
}

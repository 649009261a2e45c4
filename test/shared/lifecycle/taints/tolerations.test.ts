import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Taint, Toleration } from '../../../../shared/kube/objects.ts'
import {
  minTolerationSeconds,
  tolerates,
  tolerationSeconds,
  usedTolerations,
} from '../../../../shared/lifecycle/taints/tolerations.ts'
import { casesOf, runCases } from '../vectors.ts'

interface Match {
  readonly taints: readonly Taint[] | null
  readonly tolerations: readonly Toleration[] | null
  readonly comparisonOperators?: boolean
}

describe('toleration-match vectors', () => {
  const cases = casesOf<Match, { allTolerated: boolean; usedIndexes: number[] }>('toleration-match')
  runCases('toleration-match', cases, (given, expected) => {
    const { comparisonOperators = false } = given
    const tolerations = given.tolerations ?? []
    const used = usedTolerations(given.taints ?? [], tolerations, { comparisonOperators })
    expect(used !== undefined).toBe(expected.allTolerated)
    expect((used ?? []).map((one) => tolerations.indexOf(one))).toEqual(expected.usedIndexes)
  })
})

describe('min-toleration-time vectors', () => {
  type Given = { readonly tolerations: readonly Toleration[] | null }
  const cases = casesOf<Given, { seconds: number | 'forever' }>('min-toleration-time')
  runCases('min-toleration-time', cases, ({ tolerations }, { seconds }) => {
    const wanted = seconds === 'forever' ? Number.POSITIVE_INFINITY : seconds
    expect(minTolerationSeconds(tolerations ?? [])).toBe(wanted)
  })
})

describe('comparison operators', () => {
  it.each([
    { when: 'the gate is off', on: false, operator: 'Lt', taint: '1', value: '2', matches: false },
    {
      when: 'the taint is below',
      on: true,
      operator: 'Lt',
      taint: '-2',
      value: '-1',
      matches: true,
    },
    {
      when: 'minus zero is given',
      on: true,
      operator: 'Lt',
      taint: '-0',
      value: '1',
      matches: false,
    },
    {
      when: 'the taint is the smallest int64',
      on: true,
      operator: 'Lt',
      taint: '-9223372036854775808',
      value: '-9223372036854775807',
      matches: true,
    },
    {
      when: 'above, with the gate off',
      on: false,
      operator: 'Gt',
      taint: '2',
      value: '1',
      matches: false,
    },
    { when: 'the taint is above', on: true, operator: 'Gt', taint: '2', value: '1', matches: true },
    { when: 'both are the same', on: true, operator: 'Gt', taint: '2', value: '2', matches: false },
    {
      when: 'the taint is no number',
      on: true,
      operator: 'Lt',
      taint: 'a',
      value: '2',
      matches: false,
    },
    {
      when: 'the toleration is no number',
      on: true,
      operator: 'Lt',
      taint: '1',
      value: '',
      matches: false,
    },
    {
      when: 'the taint is below int64',
      on: true,
      operator: 'Lt',
      taint: '-9223372036854775809',
      value: '0',
      matches: false,
    },
    {
      when: 'the taint is beyond int64',
      on: true,
      operator: 'Gt',
      taint: '9223372036854775808',
      value: '0',
      matches: false,
    },
  ])('$when: $matches', ({ on, operator, taint, value, matches }) => {
    const toleration = { key: 'k', operator, value, effect: 'NoExecute' }
    const tainted: Taint = { key: 'k', value: taint, effect: 'NoExecute' }
    expect(tolerates(toleration, tainted, { comparisonOperators: on })).toBe(matches)
  })
})

it('comparison operators do not count unless they are switched on', () => {
  const taint = { key: 'k', value: '1', effect: 'NoExecute' } as const
  const below = { key: 'k', operator: 'Lt', value: '2', effect: 'NoExecute' }
  expect(usedTolerations([taint], [below])).toBeUndefined()
})

it('a toleration lasts for ever from the longest time on that Go can count', () => {
  expect(tolerationSeconds({ tolerationSeconds: 9_223_372_036 })).toBe(9_223_372_036)
  expect(tolerationSeconds({ tolerationSeconds: 9_223_372_037 })).toBe(Number.POSITIVE_INFINITY)
})

describe('laws', () => {
  const anyKey = fc.constantFrom('a', 'b', 'c')
  const taint = fc.record({ key: anyKey, effect: fc.constant('NoExecute' as const) })
  const toleration = fc.record({
    key: fc.constantFrom('', 'a', 'b', 'c'),
    operator: fc.constant('Exists'),
    tolerationSeconds: fc.option(fc.integer({ min: -5, max: 500 }), { nil: undefined }),
  })

  it('never lets a toleration appended at the end change a pod that tolerates already', () => {
    fc.assert(
      fc.property(fc.array(taint), fc.array(toleration), toleration, (taints, list, extra) => {
        const used = usedTolerations(taints, list)
        if (used) expect(usedTolerations(taints, [...list, extra])).toEqual(used)
      }),
    )
  })

  it('never lasts longer than any toleration used', () => {
    fc.assert(
      fc.property(fc.array(toleration, { minLength: 1 }), (used) => {
        const least = minTolerationSeconds(used)
        expect(used.every((one) => least <= tolerationSeconds(one))).toBe(true)
        expect(used.some((one) => least === tolerationSeconds(one))).toBe(true)
      }),
    )
  })
})

import { describe, expect, it } from 'vitest'
import type { Taint } from '../../../../shared/kube/objects.ts'
import {
  taintDifference,
  withoutTaint,
  withTaint,
} from '../../../../shared/lifecycle/taints/taints.ts'
import { casesOf, runCases } from '../vectors.ts'

type VectorTaint = Omit<Taint, 'timeAdded'> & { readonly timeAdded?: number | null }
type Given =
  | { op: 'diff'; wanted: VectorTaint[]; present: VectorTaint[] }
  | { op: 'addOrUpdate' | 'remove'; present: VectorTaint[]; taint: VectorTaint }
type Expected = { toAdd: VectorTaint[]; toRemove: VectorTaint[] } & {
  taints: VectorTaint[]
  changed: boolean
}

const wire = ({ timeAdded, ...taint }: VectorTaint): Taint =>
  typeof timeAdded !== 'number'
    ? taint
    : { ...taint, timeAdded: new Date(timeAdded * 1000).toISOString() }

describe('taint-set-ops vectors', () => {
  runCases('taint-set-ops', casesOf<Given, Expected>('taint-set-ops'), (given, expected) => {
    const present = given.present.map(wire)
    if (given.op === 'diff') {
      const { toAdd, toRemove } = taintDifference(given.wanted.map(wire), present)
      expect(toAdd).toEqual(expected.toAdd.map(wire))
      expect(toRemove).toEqual(expected.toRemove.map(wire))
      return
    }
    const change = given.op === 'remove' ? withoutTaint : withTaint
    const taints = change(present, wire(given.taint))
    expect(taints).toEqual(expected.taints.map(wire))
    expect(taints !== present).toBe(expected.changed)
  })
})

describe('a taint that is set again', () => {
  const taint = { key: 'a', effect: 'NoSchedule' } as const
  const at = '2026-01-01T00:00:00Z'

  it.each([
    { when: 'it is the same', present: taint, wanted: taint },
    { when: 'an empty value is left out', present: { ...taint, value: '' }, wanted: taint },
    { when: 'an empty value is given', present: taint, wanted: { ...taint, value: '' } },
    {
      when: 'value and time are the same',
      present: { ...taint, value: 'x', timeAdded: at },
      wanted: { ...taint, value: 'x', timeAdded: at },
    },
  ])('is no change when $when: it would cost a write in every tick', ({ present, wanted }) => {
    const taints = [present]
    expect(withTaint(taints, wanted)).toBe(taints)
  })

  it.each([
    { when: 'it has a value now', present: taint, wanted: { ...taint, value: 'x' } },
    { when: 'it has none any more', present: { ...taint, value: 'x' }, wanted: taint },
    { when: 'it has a time now', present: taint, wanted: { ...taint, timeAdded: at } },
    { when: 'it has no time any more', present: { ...taint, timeAdded: at }, wanted: taint },
  ])('is replaced where it stands when $when', ({ present, wanted }) => {
    const other = { key: 'b', effect: 'NoSchedule' } as const
    expect(withTaint([present, other], wanted)).toEqual([wanted, other])
  })
})

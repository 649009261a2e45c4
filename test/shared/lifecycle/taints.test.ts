import { describe, expect } from 'vitest'
import type { Taint } from '../../../shared/kube/objects.ts'
import { taintDifference, withoutTaint, withTaint } from '../../../shared/lifecycle/taints.ts'
import { casesOf, runCases } from './vectors.ts'

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

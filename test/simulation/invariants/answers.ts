/**
 * 9. No write is refused that was applied, none is reported that was not, and none is applied twice.
 * Shown by locks: every write of a competitor has a renewTime of its own.
 */
import type { LeaseChange } from '../observed-store.ts'
import { Broken, type Invariant } from './invariant.ts'

export type OnAnswer = (renewTime: string, status: number) => void

const NAME = '9 answers'

export function answersAreTrue(): Invariant & { readonly onAnswer: OnAnswer } {
  const applied = new Set<string>()
  const refused = new Set<string>()

  const check = ({ id, before, after }: LeaseChange) => {
    const renewTime = after?.spec.renewTime
    if (!id.startsWith('default/') || !renewTime || renewTime === before?.spec.renewTime) return
    if (applied.has(renewTime)) throw new Broken(NAME, `a write of ${id} is applied twice`)
    if (refused.has(renewTime))
      throw new Broken(NAME, `a write of ${id} is applied, though refused`)
    applied.add(renewTime)
  }

  return {
    onWrite(_truth, { changes }) {
      for (const change of changes) if (change.what === 'lease') check(change)
    },
    onAnswer(renewTime, status) {
      // A 5xx says neither.
      if (status >= 500) return
      const isDone = status < 300
      if (!isDone && applied.has(renewTime))
        throw new Broken(NAME, `a write was refused with ${status}, though applied`)
      if (isDone && !applied.has(renewTime))
        throw new Broken(NAME, `a write was answered with ${status}, though not applied`)
      if (!isDone) refused.add(renewTime)
    },
  }
}

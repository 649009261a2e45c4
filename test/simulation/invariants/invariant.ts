/** One promise of the service, checked against what is true. */
import type { Write } from '../observed-store.ts'
import type { Truth } from '../truth.ts'

export interface Invariant {
  /** Looks at a write before it is learned. Throws `Broken`. */
  readonly onWrite?: (truth: Truth, write: Write) => void
  /** Asked every few seconds of true time. */
  readonly onCheck?: (truth: Truth, nowMs: number) => void
}

export class Broken extends Error {
  readonly invariant: string
  constructor(invariant: string, why: string) {
    super(`${invariant}: ${why}`)
    this.invariant = invariant
  }
}

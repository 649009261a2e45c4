/** A store at which a process dies at a chosen call: before it was made, or after, answer unheard. */
import type { Store } from '../../shared/store/ports.ts'
import { wrappedStore } from './wrapped-store.ts'

export class Killed extends Error {}

export interface Crash {
  /** The number of the call, from 0. */
  readonly at: number
  readonly moment: 'before' | 'after'
}

export interface CrashingStore {
  readonly store: Store
  /** Calls so far. */
  calls(): number
  /** Lets the next process live. Says whether the one before it had died. */
  restart(): boolean
}

export function crashingStore(inner: Store, crash?: Crash): CrashingStore {
  let calls = 0
  let isDead = false
  const die = (): never => {
    isDead = true
    throw new Killed('killed')
  }
  /** True when the process dies after this call. */
  const begin = () => {
    // A dead process makes no more calls, whatever catches the error.
    if (isDead) throw new Killed('dead')
    const isIt = calls++ === crash?.at
    if (isIt && crash?.moment === 'before') die()
    return isIt
  }
  const store = wrappedStore(inner, {
    async call(_name, act) {
      const isIt = begin()
      const result = await act()
      return isIt ? die() : result
    },
    async *pages(_name, read) {
      const isIt = begin()
      yield* read()
      if (isIt) die()
    },
  })
  return {
    store,
    calls: () => calls,
    restart() {
      const hadDied = isDead
      isDead = false
      return hadDied
    },
  }
}

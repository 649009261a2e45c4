/**
 * A store on which a monitor dies at a chosen call: before it happened, or after, answer unheard.
 */
import type { Store } from '../../../shared/store/ports.ts'

export class Killed extends Error {}

export type Moment = 'before' | 'after'

export interface Death {
  /** The number of the call, from 0. */
  readonly at: number
  readonly moment: Moment
}

export interface MortalStore {
  readonly store: Store
  /** Calls so far. */
  calls(): number
  /** Whether the death has happened since this was last asked; whoever calls from now on lives. */
  bury(): boolean
}

export function mortalStore(real: Store, death?: Death): MortalStore {
  let calls = 0
  let isDead = false
  const die = (): never => {
    isDead = true
    throw new Killed('killed')
  }
  const reach = () => {
    // The dead do nothing more, whoever catches what they threw.
    if (isDead) throw new Killed('dead')
    const isIt = calls++ === death?.at
    if (isIt && death?.moment === 'before') die()
    return isIt
  }
  const mortal =
    <A extends unknown[], R>(call: (...args: A) => Promise<R>) =>
    async (...args: A): Promise<R> => {
      const isIt = reach()
      const result = await call(...args)
      return isIt ? die() : result
    }
  async function* pages<T>(read: () => AsyncIterable<T>) {
    const isIt = reach()
    yield* read()
    if (isIt) die()
  }
  const { leases, objects, records } = real
  return {
    calls: () => calls,
    bury() {
      const wasDead = isDead
      isDead = false
      return wasDead
    },
    store: {
      leases: {
        get: mortal(leases.get),
        read: mortal(leases.read),
        renew: mortal(leases.renew),
        create: mortal(leases.create),
        replace: mortal(leases.replace),
        remove: mortal(leases.remove),
        scan: (namespace) => pages(() => leases.scan(namespace)),
        beats: () => pages(() => leases.beats()),
      },
      objects: {
        get: mortal(objects.get),
        list: mortal(objects.list),
        read: mortal(objects.read),
        podsOn: mortal(objects.podsOn),
        changes: mortal(objects.changes),
      },
      records: {
        get: mortal(records.get) as typeof records.get,
        list: mortal(records.list) as typeof records.list,
      },
      commit: mortal(real.commit),
      skewMs: () => real.skewMs(),
    },
  }
}

/** A store whose writes lose their answers: made, never made, or made later, and a 504 in each case. */
import { writeTimeout } from '../../shared/kube/status-error.ts'
import type { Store } from '../../shared/store/ports.ts'
import type { Loss } from '../contract/faulty-proxy.ts'
import { wrappedStore } from './wrapped-store.ts'

const writes = new Set([
  'leases.renew',
  'leases.create',
  'leases.replace',
  'leases.remove',
  'commit',
])
export const isWrite = (call: string) => writes.has(call)
const refusals = new Set(['outrun', 'held', 'notRenewal', 'missing', 'foreignOwner'])

export interface LosingStore {
  readonly store: Store
  /** The next write loses its answer. `then` happens before its caller learns of that. */
  lose(loss: Loss, then: () => Promise<void>): void
  deliverLate(): Promise<void>
  /** How many writes were applied. */
  applied(): number
}

export function losingStore(inner: Store): LosingStore {
  let next: { readonly loss: Loss; readonly then: () => Promise<void> } | undefined
  let applied = 0
  const late: (() => Promise<unknown>)[] = []
  const store = wrappedStore(inner, {
    async call(name, act) {
      if (!isWrite(name)) return act()
      const counted = async () => {
        const outcome = await act()
        if (!refusals.has((outcome as { readonly kind: string }).kind)) applied += 1
        return outcome
      }
      const planned = next
      next = undefined
      if (!planned) return counted()
      if (planned.loss === 'lost') await counted()
      if (planned.loss === 'late') late.push(counted)
      await planned.then()
      throw writeTimeout()
    },
  })
  return {
    store,
    lose(loss, then) {
      next = { loss, then }
    },
    async deliverLate() {
      for (const act of late.splice(0)) await act()
    },
    applied: () => applied,
  }
}

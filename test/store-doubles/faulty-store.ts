/** A store that fails as DynamoDB can, for tests that run on the in-memory store and virtual time. */
import { throttled, unavailable, writeTimeout } from '../../shared/kube/status-error.ts'
import type { Store } from '../../shared/store/ports.ts'
import { isWrite } from './losing-store.ts'
import { wrappedStore } from './wrapped-store.ts'

/**
 * `throttled` and `failed` are not done. `lost` is done, and `late` is done later, but the caller is
 * told that nothing is known.
 */
export type StoreFault = 'none' | 'throttled' | 'failed' | 'lost' | 'late'

/** Asked before every call, by its name: `leases.renew`, `objects.list`, `commit`. */
export type FaultOf = (call: string) => StoreFault

interface FaultyOptions {
  readonly skewMs?: () => number
  /** Does what arrives late. Default: never. */
  readonly later?: (act: () => void) => void
}

export function faultyStore(store: Store, faultOf: FaultOf, options: FaultyOptions = {}): Store {
  const { skewMs = store.skewMs, later = () => {} } = options
  const faulty = wrappedStore(store, {
    async call(name, act) {
      const fault = faultOf(name)
      if (fault === 'none') return act()
      if (fault === 'throttled') throw throttled('the database is too busy', 1)
      if (fault === 'lost') await act()
      if (fault === 'late' && isWrite(name)) later(() => void act())
      const isUnclear = fault !== 'failed' && isWrite(name)
      throw isUnclear ? writeTimeout() : unavailable('the database does not answer', 1)
    },
    pages: (name, read) => failingPages(faultOf(name), read()),
  })
  return { ...faulty, skewMs }
}

/** A scan fails after its first page. */
async function* failingPages<P>(fault: StoreFault, pages: AsyncIterable<P>): AsyncIterable<P> {
  for await (const page of pages) {
    yield page
    if (fault !== 'none') break
  }
  if (fault !== 'none') throw unavailable('the database does not answer', 1)
}

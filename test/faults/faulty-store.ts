/**
 * A store that has bad moments: for simulations and watches, which run on the in-memory store and
 * virtual time.
 */
import { tooManyRequests, unavailable } from '../../shared/kube/status-error.ts'
import type { Leases, Objects, Records, Store } from '../../shared/store/ports.ts'

/** `lost`: done, but the caller is told it failed. The others are not done. */
export type Mood = 'well' | 'throttled' | 'failed' | 'lost'

/** Asked before every call, by its name: `leases.renew`, `objects.list`, `commit`. */
export type Decide = (call: string) => Mood

export function faultyStore(store: Store, decide: Decide, skewMs = store.skewMs): Store {
  return {
    leases: faulty(store.leases, 'leases', decide) satisfies Leases,
    objects: faulty(store.objects, 'objects', decide) satisfies Objects,
    records: faulty(store.records, 'records', decide) satisfies Records,
    commit: (steps) => inMood(decide('commit'), () => store.commit(steps)),
    skewMs,
  }
}

const sweeps = new Set(['scan', 'beats'])

function faulty<T extends object>(part: T, name: string, decide: Decide): T {
  return new Proxy(part, {
    get(target, property, receiver) {
      const method: unknown = Reflect.get(target, property, receiver)
      if (typeof method !== 'function') return method
      const call = `${name}.${String(property)}`
      const act = (...args: unknown[]) => Reflect.apply(method, target, args)
      if (sweeps.has(String(property)))
        return (...args: unknown[]) => sweeping(decide(call), () => act(...args))
      return (...args: unknown[]) => inMood(decide(call), () => act(...args) as Promise<unknown>)
    },
  })
}

async function inMood<R>(mood: Mood, act: () => Promise<R>): Promise<R> {
  if (mood === 'lost') await act()
  if (mood === 'well') return act()
  throw mood === 'throttled'
    ? tooManyRequests('the database is too busy', 1)
    : unavailable('the database does not answer', 1)
}

/** A sweep that goes wrong does so after its first page. */
async function* sweeping(mood: Mood, act: () => AsyncIterable<unknown>): AsyncIterable<unknown> {
  for await (const page of act()) {
    yield page
    if (mood !== 'well') break
  }
  if (mood !== 'well') throw unavailable('the database does not answer', 1)
}

/** A store whose every call passes through a wrapper: to count, delay, fail or stop it. */
import type { Store } from '../../shared/store/ports.ts'

export interface StoreWrapper {
  /** `name` is as `leases.renew`, `objects.list`, `commit`. Default: just acts. */
  readonly call?: <R>(name: string, act: () => Promise<R>, args: readonly unknown[]) => Promise<R>
  /** The same for `leases.scan` and `leases.beats`. */
  readonly pages?: <P>(name: string, read: () => AsyncIterable<P>) => AsyncIterable<P>
}

const paged = new Set<string | symbol>(['scan', 'beats'])

export function wrappedStore(store: Store, wrapper: StoreWrapper): Store {
  const { call = (_name, act) => act(), pages = (_name, read) => read() } = wrapper
  const wrapped = <T extends object>(part: T, prefix: string): T =>
    new Proxy(part, {
      get(target, property, receiver) {
        const method: unknown = Reflect.get(target, property, receiver)
        if (typeof method !== 'function') return method
        const name = `${prefix}.${String(property)}`
        const act = (args: unknown[]) => Reflect.apply(method, target, args)
        if (paged.has(property))
          return (...args: unknown[]) => pages(name, () => act(args) as AsyncIterable<unknown>)
        return (...args: unknown[]) => call(name, () => act(args) as Promise<unknown>, args)
      },
    })
  return {
    leases: wrapped(store.leases, 'leases'),
    objects: wrapped(store.objects, 'objects'),
    records: wrapped(store.records, 'records'),
    commit: (steps) => call('commit', () => store.commit(steps), [steps]),
    skewMs: () => store.skewMs(),
  }
}

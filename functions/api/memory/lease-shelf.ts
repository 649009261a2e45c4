/**
 * Leases on their own table, which has neither an order nor an index: a list is a scan, sorted
 * here.
 */
import type { KubeObject, Lease } from '../../../shared/kube/objects.ts'
import type { Key, Leases, Outcome, Store, StoredLease } from '../../../shared/store/ports.ts'
import { keepLastBeat } from '../leases/last-beat.ts'
import {
  compareKeys,
  type Shelf,
  type ShelfPage,
  type ShelfPageFound,
  type Written,
} from './shelf.ts'

export function leaseShelf(store: Store): Shelf<StoredLease> {
  const { leases } = store
  return {
    get: (key) => leases.get(key),
    create: async (object: KubeObject) => written(await leases.create(object as Lease)),
    replace: async (object, believed) => written(await leases.replace(object as Lease, believed)),
    remove: async (believed) => {
      await keepLastBeat(store, believed)
      return written(await leases.remove(believed))
    },
    page: (request) => pageOf(leases, request),
  }
}

function written(outcome: Outcome<string, StoredLease>): Written {
  if (outcome.kind === 'outrun' || outcome.kind === 'held') return outcome as Written
  return { kind: 'written', now: (outcome as { readonly now: StoredLease }).now }
}

async function pageOf(leases: Leases, request: ShelfPage): Promise<ShelfPageFound> {
  const name = request.exact['metadata.name']
  const namespace = request.namespace ?? request.exact['metadata.namespace']
  // One name in one namespace is one read, and a consistent one.
  if (name && namespace) return { items: await one(leases, { namespace, name }, request.after) }

  const all: StoredLease[] = []
  for await (const page of leases.scan(namespace)) all.push(...page)
  const { after } = request
  const rest = after ? all.filter(({ key }) => compareKeys(key, after) > 0) : all
  rest.sort((a, b) => compareKeys(a.key, b.key))

  const items = rest.slice(0, request.limit)
  if (items.length === rest.length) return { items }
  return { items, next: items.at(-1)!.key, remaining: rest.length - items.length }
}

async function one(leases: Leases, key: Key, after: Key | undefined) {
  const found = after === undefined ? await leases.get(key) : undefined
  return found ? [found] : []
}

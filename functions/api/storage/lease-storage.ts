/** Leases in their own table, which has no index: a list is a scan, sorted here. */
import type { KubeObject, Lease } from '../../../shared/kube/objects.ts'
import type { Key, Leases, Outcome, Store, StoredLease } from '../../../shared/store/ports.ts'
import { holderRule } from '../namespaces/holder-rule.ts'
import { keepLastHeartbeat } from '../nodes/node-lease.ts'
import {
  compareKeys,
  type Page,
  type PageQuery,
  type ResourceStorage,
  type WriteOutcome,
} from './resource-storage.ts'

export function leaseStorage(store: Store): ResourceStorage<StoredLease> {
  const { leases } = store
  return {
    get: (key) => leases.get(key),
    create: async (object: KubeObject) => written(await leases.create(object as Lease)),
    replace: async (object, believed) =>
      written(await replaceByRule(store, object as Lease, believed)),
    remove: async (believed) => {
      await keepLastHeartbeat(store, believed)
      return written(await leases.remove(believed))
    },
    page: (request) => pageOf(leases, request),
  }
}

/**
 * The rule is read where it matters: no renewal changes a holder, and a lease that is free needs no
 * exception.
 */
async function replaceByRule(store: Store, lease: Lease, believed: StoredLease) {
  const outcome = await store.leases.replace(lease, believed)
  if (outcome.kind !== 'held') return outcome
  const rule = await holderRule(store, believed.key.namespace)
  return rule === 'checked' ? outcome : await store.leases.replace(lease, believed, rule)
}

function written(outcome: Outcome<string, StoredLease>): WriteOutcome {
  if (outcome.kind === 'outrun' || outcome.kind === 'held') return outcome as WriteOutcome
  return { kind: 'written', now: (outcome as { readonly now: StoredLease }).now }
}

async function pageOf(leases: Leases, request: PageQuery): Promise<Page> {
  const name = request.exact['metadata.name']
  const namespace = request.namespace ?? request.exact['metadata.namespace']
  // One name in one namespace is one read, and a consistent one.
  if (name && namespace) return { items: await one(leases, { namespace, name }, request.after) }

  const all: StoredLease[] = []
  for await (const page of leases.scan(namespace ? { namespaces: [namespace] } : {}))
    all.push(...page)
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

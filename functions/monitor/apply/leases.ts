/** Leases whose node is gone. */
import type { Lease, OwnerReference } from '../../../shared/kube/objects.ts'
import { judgeLease } from '../../../shared/lifecycle/lease-garbage.ts'
import type { Action } from '../../../shared/lifecycle/world.ts'
import { nodeLeaseNamespace } from '../../../shared/store/lease-state.ts'
import type { Store, StoredLease } from '../../../shared/store/ports.ts'
import { nodeUids } from '../read/node-uids.ts'
import { type Applying, settle } from './applying.ts'
import { runPool } from './pool.ts'
import type { Fate } from './together.ts'

type Drop = Extract<Action, { readonly do: 'dropLease' }>

export async function dropLeases(applying: Applying, drops: readonly Drop[]): Promise<void> {
  const jobs = drops.map((drop) => async () => {
    const fate = await dropLease(applying.deps.store, drop)
    if (fate !== 'kept') settle(applying, 'dropLease', fate)
  })
  applying.tally.unfinished += await runPool(jobs, applying)
}

/**
 * A beat since it was judged is a beat of somebody: then the lease stays. So it does, with fewer
 * owners, while one of them lives: the suspicion rested on the first alone.
 */
async function dropLease(store: Store, { name, version }: Drop): Promise<Fate<string> | 'kept'> {
  const { leases } = store
  try {
    const believed = await leases.get({ namespace: nodeLeaseNamespace, name })
    if (believed?.version !== version) return { kind: 'outrun', of: name }
    const verdict = await judge(store, believed)
    if (verdict.kind === 'keep') return 'kept'
    const { kind } =
      verdict.kind === 'delete'
        ? await leases.remove(believed)
        : await leases.replace(withOwners(believed, verdict.ownerReferences), believed)
    return kind === 'removed' || kind === 'replaced'
      ? { kind: 'done', of: name, versions: [] }
      : { kind: 'outrun', of: name }
  } catch (error) {
    return { kind: 'failed', of: name, error }
  }
}

async function judge(store: Store, { object }: StoredLease) {
  const owners = object.metadata.ownerReferences ?? []
  const uids = await nodeUids(
    store,
    owners.map(({ name }) => name),
  )
  return judgeLease(owners, (name) => uids.get(name))
}

function withOwners({ object }: StoredLease, ownerReferences: readonly OwnerReference[]): Lease {
  return { ...object, metadata: { ...object.metadata, ownerReferences } }
}

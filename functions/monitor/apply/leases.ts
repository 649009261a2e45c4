/** Leases whose node is gone. */
import type { Action } from '../../../shared/lifecycle/world.ts'
import { nodeLeaseNamespace } from '../../../shared/store/lease-state.ts'
import { type Applying, settle } from './applying.ts'
import { runPool } from './pool.ts'
import type { Fate } from './together.ts'

type Drop = Extract<Action, { readonly do: 'dropLease' }>

export async function dropLeases(applying: Applying, drops: readonly Drop[]): Promise<void> {
  const jobs = drops.map((drop) => async () => {
    settle(applying, 'dropLease', await dropLease(applying, drop))
  })
  applying.tally.unfinished += await runPool(jobs, applying)
}

/** A beat since it was judged is a beat of somebody: then the lease stays. */
async function dropLease({ deps }: Applying, { name, version }: Drop): Promise<Fate<string>> {
  const { leases } = deps.store
  try {
    const believed = await leases.get({ namespace: nodeLeaseNamespace, name })
    if (believed?.version !== version) return { kind: 'outrun', of: name }
    const { kind } = await leases.remove(believed)
    return kind === 'removed'
      ? { kind: 'done', of: name, versions: [] }
      : { kind: 'outrun', of: name }
  } catch (error) {
    return { kind: 'failed', of: name, error }
  }
}

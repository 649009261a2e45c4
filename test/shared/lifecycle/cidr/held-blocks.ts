/** Pools as the monitor makes them: anew from what nodes hold, going on where the last one was. */
import type { Cidr } from '../../../../shared/kube/cidr.ts'
import { blocksOf, type CidrPool, markAll } from '../../../../shared/lifecycle/cidr/pool.ts'

export function usedCount({ used }: CidrPool): number {
  return used.reduce((sum, { begin, end }) => sum + end - begin + 1, 0)
}

export function withHeld(pool: CidrPool, held: readonly Cidr[]): CidrPool {
  const ranges = held.map((cidr) => blocksOf(pool, cidr)!)
  return markAll({ ...pool, used: [] }, ranges)
}

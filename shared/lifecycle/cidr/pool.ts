/**
 * Which block of a cluster range is free?
 *
 * A pool is plain data and every change gives a new one. Used blocks are kept as sorted, separate
 * ranges of block numbers, so a /8 cut into sixteen million blocks costs what is fragmented in it,
 * not what is in it.
 */
import type { Cidr } from '../../kube/cidr.ts'
import { bitsOf, covers, networkOf, overlaps } from './network.ts'

export interface CidrPool {
  readonly cluster: Cidr
  readonly nodeMask: number
  /** One past the block handed out last, so that freed blocks are reused late. */
  readonly cursor: number
  readonly used: readonly BlockRange[]
}

/** Block numbers, both ends included. */
export interface BlockRange {
  readonly begin: number
  readonly end: number
}

/** Kubernetes refuses to cut IPv6 ranges into more blocks than 2 to this power. */
const MAX_IPV6_SPLIT_BITS = 16

export type PoolProblem = 'maskTooSmall' | 'maskTooLarge' | 'subnetTooBig'

export function poolProblem(cluster: Cidr, nodeMask: number): PoolProblem | undefined {
  if (nodeMask < cluster.prefix) return 'maskTooSmall'
  if (nodeMask > bitsOf(cluster)) return 'maskTooLarge'
  const isTooFine = nodeMask - cluster.prefix > MAX_IPV6_SPLIT_BITS
  return cluster.family === 'IPv6' && isTooFine ? 'subnetTooBig' : undefined
}

export function emptyPool(cluster: Cidr, nodeMask: number): CidrPool {
  const problem = poolProblem(cluster, nodeMask)
  if (problem) throw new Error(`cannot cut a /${cluster.prefix} into /${nodeMask}: ${problem}`)
  return { cluster, nodeMask, cursor: 0, used: [] }
}

export function blockCount({ cluster, nodeMask }: CidrPool): number {
  return 2 ** (nodeMask - cluster.prefix)
}

export function blockAt({ cluster, nodeMask }: CidrPool, index: number): Cidr {
  const shift = BigInt(bitsOf(cluster) - nodeMask)
  return networkOf(cluster.family, cluster.address | (BigInt(index) << shift), nodeMask)
}

/** The blocks a range touches, at least the one that holds it; undefined when it lies outside. */
export function blocksOf(pool: CidrPool, cidr: Cidr): BlockRange | undefined {
  const { cluster, nodeMask } = pool
  if (!overlaps(cluster, cidr)) return undefined
  if (covers(cidr, cluster)) return { begin: 0, end: blockCount(pool) - 1 }

  const shift = BigInt(bitsOf(cluster) - nodeMask)
  const begin = Number((cidr.address - cluster.address) >> shift)
  return { begin, end: begin + 2 ** Math.max(0, nodeMask - cidr.prefix) - 1 }
}

export function allocate(pool: CidrPool): { pool: CidrPool; block: Cidr } | 'noneRemaining' {
  const index = firstFree(pool)
  if (index === undefined) return 'noneRemaining'
  const used = withRange(pool.used, { begin: index, end: index })
  const cursor = (index + 1) % blockCount(pool)
  return { pool: { ...pool, used, cursor }, block: blockAt(pool, index) }
}

function firstFree(pool: CidrPool): number | undefined {
  const after = endOfRun(pool, pool.cursor)
  if (after < blockCount(pool)) return after
  // Round the corner. A hole before the cursor, or nothing.
  const fromStart = endOfRun(pool, 0)
  return fromStart < pool.cursor ? fromStart : undefined
}

/** The first free block from here on. Ranges never touch, so behind one comes a free block. */
function endOfRun({ used }: CidrPool, index: number): number {
  const run = used[firstEndingAt(used, index)]
  return run && run.begin <= index ? run.end + 1 : index
}

/** Many at once: one sort instead of a copy for each, which is what start-up needs. */
export function markAll(pool: CidrPool, ranges: readonly BlockRange[]): CidrPool {
  const merged: BlockRange[] = []
  for (const range of [...pool.used, ...ranges].toSorted((a, b) => a.begin - b.begin)) {
    const last = merged.at(-1)
    if (last && range.begin <= last.end + 1) {
      merged[merged.length - 1] = { begin: last.begin, end: Math.max(last.end, range.end) }
    } else merged.push(range)
  }
  return { ...pool, used: merged }
}

/** What the new range overlaps or touches becomes one with it: firstFree rests on that. */
function withRange(used: readonly BlockRange[], added: BlockRange): readonly BlockRange[] {
  const from = firstEndingAt(used, added.begin - 1)
  let to = from
  while (to < used.length && used[to]!.begin <= added.end + 1) to += 1
  const joined = {
    begin: Math.min(added.begin, used[from]?.begin ?? added.begin),
    end: Math.max(added.end, used[to - 1]?.end ?? added.end),
  }
  return used.toSpliced(from, to - from, joined)
}

/**
 * The place of the first range that ends at this block or later; the list's length when none does.
 */
function firstEndingAt(used: readonly BlockRange[], index: number): number {
  let low = 0
  let high = used.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (used[middle]!.end < index) low = middle + 1
    else high = middle
  }
  return low
}

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Cidr } from '../../../../shared/kube/cidr.ts'
import { networkOf, overlaps, parseNetwork } from '../../../../shared/lifecycle/cidr/network.ts'
import {
  allocate,
  type BlockRange,
  blockAt,
  blockCount,
  blocksOf,
  type CidrPool,
  emptyPool,
  markAll,
} from '../../../../shared/lifecycle/cidr/pool.ts'
import { usedCount, withHeld } from './held-blocks.ts'

const cluster = parseNetwork('10.0.0.0/26')!
const BLOCKS = 16

/** A free when the block is held, otherwise an allocation: any history of a small pool. */
const history = fc.array(fc.option(fc.nat(BLOCKS - 1), { nil: 'allocate' as const }))

function live(pool: CidrPool, held: Map<number, Cidr>, step: number | 'allocate'): CidrPool {
  const block = typeof step === 'number' ? held.get(step) : undefined
  if (block) {
    held.delete(step as number)
    return withHeld(pool, [...held.values()])
  }
  const taken = allocate(pool)
  if (taken === 'noneRemaining') return pool
  for (const other of held.values()) expect(overlaps(other, taken.block)).toBe(false)
  held.set(blocksOf(pool, taken.block)!.begin, taken.block)
  return taken.pool
}

/** Each block of the range on its own, as they are handed out. */
function withEachBlock(pool: CidrPool, range: Cidr): CidrPool {
  const { begin, end } = blocksOf(pool, range)!
  let left = pool
  for (let cursor = begin; cursor <= end; cursor += 1) {
    const isUsed = left.used.some((run) => run.begin <= cursor && cursor <= run.end)
    if (!isUsed) left = (allocate({ ...left, cursor }) as { pool: CidrPool }).pool
  }
  return { ...left, cursor: pool.cursor }
}

describe('laws', () => {
  it('never hands out a block that overlaps one in use, and counts what is in use', () => {
    fc.assert(
      fc.property(history, (steps) => {
        const held = new Map<number, Cidr>()
        let pool = emptyPool(cluster, 30)
        for (const step of steps) {
          pool = live(pool, held, step)
          expect(usedCount(pool)).toBe(held.size)
        }
      }),
    )
  })

  it('fails only when every block is in use', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.nat(BLOCKS - 1)), fc.nat(BLOCKS - 1), (taken, cursor) => {
        const start = { ...emptyPool(cluster, 30), cursor }
        const pool = withHeld(
          start,
          taken.map((i) => blockAt(start, i)),
        )
        expect(allocate(pool) === 'noneRemaining').toBe(taken.length === BLOCKS)
      }),
    )
  })

  it('keeps ranges sorted and apart, marked one by one or all at once', () => {
    const anyRange = fc.tuple(fc.nat(BLOCKS - 1), fc.integer({ min: 26, max: 32 }))
    fc.assert(
      fc.property(fc.array(anyRange), (taken) => {
        const empty = emptyPool(cluster, 30)
        const ranges = taken.map(([i, prefix]) =>
          networkOf('IPv4', blockAt(empty, i).address, prefix),
        )
        const pool = ranges.reduce(withEachBlock, empty)
        const isApart = ({ begin }: BlockRange, i: number) =>
          begin > (pool.used[i - 1]?.end ?? -2) + 1
        expect(pool.used.every(isApart)).toBe(true)
        expect(
          markAll(
            empty,
            ranges.map((range) => blocksOf(empty, range)!),
          ),
        ).toEqual(pool)
      }),
    )
  })
})

describe('size', () => {
  it('reuses a freed block only after going round', () => {
    const first = allocate(emptyPool(cluster, 30)) as { pool: CidrPool; block: Cidr }
    const again = allocate(withHeld(first.pool, []))
    expect(again).toMatchObject({ block: { address: first.block.address + 4n } })
  })

  it('marks the whole of a great pool as one range', () => {
    const great = emptyPool(parseNetwork('0.0.0.0/0')!, 32)
    const full = withHeld(great, [parseNetwork('0.0.0.0/0')!])
    expect(full.used).toEqual([{ begin: 0, end: 2 ** 32 - 1 }])
    expect(usedCount(full)).toBe(blockCount(great))
    expect(allocate(full)).toBe('noneRemaining')
  })
})

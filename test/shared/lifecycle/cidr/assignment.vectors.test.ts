import { describe, expect } from 'vitest'
import { type Cidr, formatCidr } from '../../../../shared/kube/cidr.ts'
import type { Node } from '../../../../shared/kube/objects.ts'
import { assignBlocks, openPools } from '../../../../shared/lifecycle/cidr/assignment.ts'
import { checkRanges } from '../../../../shared/lifecycle/cidr/config.ts'
import { overlaps, parseNetwork } from '../../../../shared/lifecycle/cidr/network.ts'
import {
  allocate,
  blockAt,
  blockCount,
  blocksOf,
  type CidrPool,
  emptyPool,
  poolProblem,
} from '../../../../shared/lifecycle/cidr/pool.ts'
import { casesOf, runCases } from '../vectors.ts'
import { usedCount, withHeld } from './held-blocks.ts'

interface PoolGiven {
  readonly clusterCIDR: string
  readonly nodeMaskSize: number
}

interface Op {
  readonly op: 'allocate' | 'allocateMany' | 'occupy' | 'release'
  readonly cidr?: string
  readonly count?: number
}

interface RangesGiven {
  readonly clusterCIDRs: readonly string[]
  readonly maskSizes: readonly number[]
  readonly serviceCIDR?: string | null
  readonly secondaryServiceCIDR?: string | null
}

interface NodesGiven extends RangesGiven {
  readonly nodes: readonly { name: string; podCIDRs?: readonly string[]; deleting?: boolean }[]
  /** Blocks taken beforehand, by number of the cluster range. */
  readonly alreadyOccupied?: Readonly<Record<string, readonly string[]>>
}

type Given = { readonly kind: string } & Record<string, unknown>
type Answer = Record<string, unknown>

const range = (text: string): Cidr => parseNetwork(text)!
const poolOf = ({ clusterCIDR, nodeMaskSize }: PoolGiven) =>
  emptyPool(range(clusterCIDR), nodeMaskSize)

describe('cidr-allocation vectors', () => {
  const cases = casesOf<Given, Answer>('cidr-allocation')
  runCases('cidr-allocation', cases, (given, expected) => {
    expect(answer(given)).toMatchObject(expected)
  })
})

function answer(given: Given): Answer {
  const answers: Record<string, (given: never) => Answer> = {
    ops: runOps,
    indexToBlock: ({ index, ...rest }: PoolGiven & { index: number }) => ({
      cidr: formatCidr(blockAt(poolOf(rest), index)),
    }),
    cidrToIndexes: ({ cidr, ...rest }: PoolGiven & { cidr: string }) => ({
      ...(blocksOf(poolOf(rest), range(cidr)) ?? { error: 'outOfRange' }),
    }),
    clusterConfig: (ranges: RangesGiven) => ({ ok: checked(ranges).ok }),
    nodes: assignAll,
  }
  const run = answers[given.kind]
  if (!run) throw new Error(`no such kind: ${given.kind}`)
  return run(given as never)
}

function runOps({ ops, ...given }: PoolGiven & { ops: readonly Op[] }): Answer {
  const problem = poolProblem(range(given.clusterCIDR), given.nodeMaskSize)
  if (problem) return { constructError: problem }

  let pool = poolOf(given)
  let held: readonly Cidr[] = []
  const max = blockCount(pool)
  const results = ops.map((op) => {
    const done = runOp(pool, held, op)
    held = done.held
    pool = withHeld({ ...pool, cursor: done.cursor ?? pool.cursor }, held)
    return { ...done.result, used: usedCount(pool) }
  })
  return { max, results }
}

/** What nodes hold after it, and where the pool goes on. */
function runOp(
  pool: CidrPool,
  held: readonly Cidr[],
  { op, cidr = '', count = 1 }: Op,
): { held: readonly Cidr[]; cursor?: number; result: Answer } {
  if (op === 'occupy') {
    if (!blocksOf(pool, range(cidr))) return { held, result: { error: 'outOfRange' } }
    return { held: [...held, range(cidr)], result: {} }
  }
  // The nodes that held it are gone.
  if (op === 'release')
    return { held: held.filter((one) => !overlaps(one, range(cidr))), result: {} }
  let left = pool
  const blocks: Cidr[] = []
  for (let i = 0; i < count; i += 1) {
    const taken = allocate(left)
    if (taken === 'noneRemaining') return { held, result: { error: taken } }
    left = taken.pool
    blocks.push(taken.block)
  }
  const last = formatCidr(blocks.at(-1)!)
  const result = { [op === 'allocate' ? 'cidr' : 'last']: last }
  return { held: [...held, ...blocks], cursor: left.cursor, result }
}

function checked({ clusterCIDRs, maskSizes, serviceCIDR, secondaryServiceCIDR }: RangesGiven) {
  const serviceCIDRs = [serviceCIDR, secondaryServiceCIDR].filter((one): one is string => !!one)
  return checkRanges({ clusterCIDRs, maskSizes, serviceCIDRs })
}

function assignAll({ nodes, alreadyOccupied = {}, ...given }: NodesGiven): Answer {
  const ranges = checked(given)
  // What is taken is what other nodes hold.
  const others = Object.values(alreadyOccupied)
    .flat()
    .map((cidr) => ({ name: cidr, podCIDRs: [cidr] }))
  const opened = ranges.ok ? openPools(ranges.value, [...nodes, ...others].map(toNode)) : ranges
  if (!opened.ok) return { startupError: true }

  let pools = opened.value
  const done = nodes.map((node) => {
    const { kind: action, ...rest } = assignBlocks(pools, toNode(node))
    if (!('pools' in rest)) return { name: node.name, action, ...rest }
    pools = rest.pools
    return { name: node.name, action, podCIDRs: rest.podCIDRs }
  })
  return { nodes: done }
}

function toNode({ name, podCIDRs, deleting }: NodesGiven['nodes'][number]): Node {
  const metadata = { name, ...(deleting && { deletionTimestamp: '2024-01-01T00:00:00Z' }) }
  return { metadata, spec: { podCIDRs } }
}

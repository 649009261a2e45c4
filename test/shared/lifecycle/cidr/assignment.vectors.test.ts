import { describe, expect, it } from 'vitest'
import { type Cidr, formatCidr } from '../../../../shared/kube/cidr.ts'
import type { Node } from '../../../../shared/kube/objects.ts'
import { assignBlocks, openPools } from '../../../../shared/lifecycle/cidr/assignment.ts'
import { checkRanges } from '../../../../shared/lifecycle/cidr/config.ts'
import { parseNetwork } from '../../../../shared/lifecycle/cidr/network.ts'
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
import {
  afterFailure,
  free,
  type MaskFlags,
  mark,
  pickMaskSizes,
  usedCount,
  type WriteFailure,
  writeOf,
} from './unshipped-allocator.ts'

interface PoolGiven {
  readonly clusterCIDR: string
  readonly nodeMaskSize: number
}

interface Op {
  readonly op: 'allocate' | 'allocateMany' | 'occupy' | 'release'
  readonly cidr?: string
  readonly count?: number
}

interface RangesGiven extends MaskFlags {
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

interface PatchGiven {
  readonly allocated: readonly string[]
  readonly currentPodCIDRs: readonly string[]
  readonly writeErrors?: readonly (string | null)[]
}

type Given = { readonly kind: string } & Record<string, unknown>
type Answer = Record<string, unknown>

const range = (text: string): Cidr => parseNetwork(text)!
const poolOf = ({ clusterCIDR, nodeMaskSize }: PoolGiven) =>
  emptyPool(range(clusterCIDR), nodeMaskSize)

describe('cidr-allocation vectors', () => {
  const cases = casesOf<Given, Answer>('cidr-allocation')
  // The type of patch is left out: the monitor writes whole objects against a version, not patches.
  runCases('cidr-allocation', cases, (given, { note, patchType, ...expected }) => {
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
    maskSizes,
    clusterConfig: (ranges: RangesGiven) => ({ ok: checked(ranges).ok }),
    nodes: assignAll,
    patch: write,
  }
  const run = answers[given.kind]
  if (!run) throw new Error(`no such kind: ${given.kind}`)
  return run(given as never)
}

function runOps({ ops, ...given }: PoolGiven & { ops: readonly Op[] }): Answer {
  const problem = poolProblem(range(given.clusterCIDR), given.nodeMaskSize)
  if (problem) return { constructError: problem }

  let pool = poolOf(given)
  const max = blockCount(pool)
  const results = ops.map((op) => {
    const done = runOp(pool, op)
    pool = done.pool
    return { ...done.result, used: usedCount(pool) }
  })
  return { max, results }
}

function runOp(
  pool: CidrPool,
  { op, cidr = '', count = 1 }: Op,
): { pool: CidrPool; result: Answer } {
  if (op === 'occupy' || op === 'release') {
    const changed = op === 'occupy' ? mark(pool, range(cidr)) : free(pool, range(cidr))
    if (changed === 'outOfRange') return { pool, result: { error: changed } }
    return { pool: changed, result: {} }
  }
  let result: Answer = {}
  for (let i = 0; i < count; i += 1) {
    const taken = allocate(pool)
    if (taken === 'noneRemaining') return { pool, result: { error: taken } }
    pool = taken.pool
    result = { [op === 'allocate' ? 'cidr' : 'last']: formatCidr(taken.block) }
  }
  return { pool, result }
}

function maskSizes({ clusterCIDRs, ...flags }: RangesGiven): Answer {
  const picked = pickMaskSizes(clusterCIDRs.map(range), flags)
  return picked.ok ? { maskSizes: picked.value } : { error: true }
}

function checked({ clusterCIDRs, maskSizes, serviceCIDR, secondaryServiceCIDR }: RangesGiven) {
  const serviceCIDRs = [serviceCIDR, secondaryServiceCIDR].filter((one): one is string => !!one)
  return checkRanges({ clusterCIDRs, maskSizes, serviceCIDRs })
}

function assignAll({ nodes, alreadyOccupied = {}, ...given }: NodesGiven): Answer {
  const ranges = checked(given)
  const opened = ranges.ok ? openPools(ranges.value, nodes.map(toNode)) : ranges
  if (!opened.ok) return { startupError: true }

  let pools = opened.value.map((pool, i) =>
    (alreadyOccupied[i] ?? []).reduce((left, cidr) => mark(left, range(cidr)) as CidrPool, pool),
  )
  const done = nodes.map((node) => {
    const { kind: action, ...rest } = assignBlocks(pools, toNode(node))
    if (!('pools' in rest)) return { name: node.name, action, ...rest }
    pools = rest.pools
    return { name: node.name, action, podCIDRs: rest.podCIDRs }
  })
  return { nodes: done, used: pools.map(usedCount) }
}

function toNode({ name, podCIDRs, deleting }: NodesGiven['nodes'][number]): Node {
  const metadata = { name, ...(deleting && { deletionTimestamp: '2024-01-01T00:00:00Z' }) }
  return { metadata, spec: { podCIDRs } }
}

/** The caller's loop around the two decisions: what to write, and what after a failure. */
function write({ allocated, currentPodCIDRs, writeErrors = [] }: PatchGiven): Answer {
  const wanted = writeOf(allocated, { metadata: {}, spec: { podCIDRs: currentPodCIDRs } })
  if (wanted.kind === 'done') return { patch: null, released: [] }
  if (wanted.kind === 'giveBack') return { patch: null, released: wanted.podCIDRs }

  const failures: WriteFailure[] = []
  for (let attempts = 1; ; attempts += 1) {
    const error = writeErrors[attempts - 1] ?? null
    if (error === null) return { patch: wanted.patch, attempts, released: [], error: false }
    failures.push(error === 'serverTimeout' ? 'timeout' : 'refused')
    const next = afterFailure(allocated, failures)
    if (next.kind === 'giveUp') {
      return { attempts, released: next.release, event: next.event, error: true }
    }
  }
}

describe('what the vectors call intended', () => {
  const corrected = casesOf<Given, Answer>('cidr-allocation').filter((one) => 'intended' in one)
  it.each(corrected)('$name', (one) => {
    expect(answer(one.given)).toMatchObject((one as unknown as { intended: Answer }).intended)
  })
})

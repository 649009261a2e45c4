/**
 * Which address blocks does a node get?
 *
 * Pools are rebuilt from the nodes at every start, so a block is taken exactly as long as a Node
 * holds it; only the cursors are worth keeping. One pool for each cluster range, in the order of
 * the ranges.
 */
import type { Node } from '../kube/objects.ts'
import { formatCidr, overlaps, parseCidr } from './cidr.ts'
import type { Checked, ClusterRanges } from './cidr-config.ts'
import {
  allocate,
  type BlockRange,
  blocksOf,
  type CidrPool,
  emptyPool,
  free,
  markAll,
} from './cidr-pool.ts'

export const ASSIGN_ATTEMPTS = 3

/**
 * The pools with everything taken that is taken: service ranges, and the blocks of every node,
 * those being deleted included. A node whose blocks do not fit stops the start: to guess would hand
 * out an address twice.
 */
export function openPools(ranges: ClusterRanges, nodes: readonly Node[]): Checked<CidrPool[]> {
  const pools = ranges.clusters.map((cluster, i) => emptyPool(cluster, ranges.maskSizes[i]!))
  const taken = pools.map((pool): BlockRange[] =>
    ranges.services
      .filter((service) => overlaps(service, pool.cluster))
      .map((service) => blocksOf(pool, service)!),
  )
  for (const node of nodes) {
    const blocks = heldBlocks(pools, node)
    if (!blocks) return { ok: false, problem: misfit(node) }
    blocks.forEach((range, i) => {
      taken[i]!.push(range)
    })
  }
  return { ok: true, value: pools.map((pool, i) => markAll(pool, taken[i]!)) }
}

function heldBlocks(pools: readonly CidrPool[], node: Node): BlockRange[] | undefined {
  const blocks = podCIDRsOf(node).map((text, i) => {
    const cidr = parseCidr(text)
    const pool = pools[i]
    return cidr && pool && blocksOf(pool, cidr)
  })
  return blocks.every((range) => range !== undefined) ? blocks : undefined
}

function misfit(node: Node): string {
  const held = podCIDRsOf(node).join(', ')
  return `node ${node.metadata.name} holds ${held}, which is not of the cluster ranges`
}

function podCIDRsOf({ spec }: Node): readonly string[] {
  if (spec?.podCIDRs?.length) return spec.podCIDRs
  return spec?.podCIDR ? [spec.podCIDR] : []
}

export type Assignment =
  /** Being deleted: its blocks stay taken until the Node is gone. */
  | { readonly kind: 'skip' }
  | { readonly kind: 'keep' }
  | { readonly kind: 'assign'; readonly podCIDRs: readonly string[]; readonly pools: CidrPool[] }
  | { readonly kind: 'none'; readonly event: 'CIDRNotAvailable' }

/** One block of every pool, or of none: what was taken before a pool ran dry is never kept. */
export function assignBlocks(pools: readonly CidrPool[], node: Node): Assignment {
  if (node.metadata.deletionTimestamp) return { kind: 'skip' }
  if (podCIDRsOf(node).length > 0) return { kind: 'keep' }

  const results = pools.map(allocate)
  if (!results.every((result) => result !== 'noneRemaining')) {
    return { kind: 'none', event: 'CIDRNotAvailable' }
  }
  const podCIDRs = results.map(({ block }) => formatCidr(block))
  return { kind: 'assign', podCIDRs, pools: results.map(({ pool }) => pool) }
}

/** The pools after a node is gone, or after an assignment that did not happen. */
export function freeBlocks(pools: readonly CidrPool[], podCIDRs: readonly string[]): CidrPool[] {
  return pools.map((pool, i) => {
    const cidr = parseCidr(podCIDRs[i] ?? '')
    const freed = cidr ? free(pool, cidr) : 'outOfRange'
    return freed === 'outOfRange' ? pool : freed
  })
}

export type AssignmentWrite =
  | { readonly kind: 'write'; readonly patch: { readonly spec: AssignedSpec } }
  /** The node has these very blocks already. */
  | { readonly kind: 'done' }
  /** The node got others meanwhile: give these back. */
  | { readonly kind: 'giveBack'; readonly podCIDRs: readonly string[] }

interface AssignedSpec {
  readonly podCIDR: string
  readonly podCIDRs: readonly string[]
}

export function writeOf(allocated: readonly string[], node: Node): AssignmentWrite {
  const held = podCIDRsOf(node)
  if (held.length === 0) {
    return { kind: 'write', patch: { spec: { podCIDR: allocated[0]!, podCIDRs: allocated } } }
  }
  const isSame = held.length === allocated.length && held.every((cidr, i) => cidr === allocated[i])
  return isSame ? { kind: 'done' } : { kind: 'giveBack', podCIDRs: allocated }
}

export type WriteFailure = 'timeout' | 'refused'

export type AfterFailure =
  | { readonly kind: 'retry' }
  | {
      readonly kind: 'giveUp'
      readonly event: 'CIDRAssignmentFailed'
      readonly release: readonly string[]
    }

/** A write that timed out may have landed: were its blocks freed, two nodes could share them. */
export function afterFailure(
  allocated: readonly string[],
  failures: readonly WriteFailure[],
): AfterFailure {
  if (failures.length < ASSIGN_ATTEMPTS) return { kind: 'retry' }
  const release = failures.at(-1) === 'timeout' ? [] : allocated
  return { kind: 'giveUp', event: 'CIDRAssignmentFailed', release }
}

/**
 * Which address blocks does a node get?
 *
 * Pools are rebuilt from the nodes before each assignment, so a block is taken exactly as long as a
 * Node holds it; only the cursors are stored. One pool for each cluster range, in the order of
 * the ranges.
 */

import { formatCidr } from '../../kube/cidr.ts'
import type { Node } from '../../kube/objects.ts'
import { type EventDraft, nodeReference } from '../events/core-events.ts'
import type { KnownNode } from '../world.ts'
import type { Checked, ClusterRanges } from './config.ts'
import { overlaps, parseNetwork } from './network.ts'
import { allocate, type BlockRange, blocksOf, type CidrPool, emptyPool, markAll } from './pool.ts'

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
    const cidr = parseNetwork(text)
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

type Assignment =
  /** Being deleted: its blocks stay taken until the Node is gone. */
  | { readonly kind: 'skip' }
  | { readonly kind: 'keep' }
  | { readonly kind: 'assign'; readonly podCIDRs: readonly string[]; readonly pools: CidrPool[] }
  /** No block is left. */
  | { readonly kind: 'none' }

/** One block of every pool, or of none: what was taken before a pool ran dry is never kept. */
export function assignBlocks(pools: readonly CidrPool[], node: Node): Assignment {
  if (node.metadata.deletionTimestamp) return { kind: 'skip' }
  if (podCIDRsOf(node).length > 0) return { kind: 'keep' }

  const results = pools.map(allocate)
  if (!results.every((result) => result !== 'noneRemaining')) {
    return { kind: 'none' }
  }
  const podCIDRs = results.map(({ block }) => formatCidr(block))
  return { kind: 'assign', podCIDRs, pools: results.map(({ pool }) => pool) }
}

export function cidrNotAvailable(node: KnownNode): EventDraft {
  return {
    source: { component: 'cidrAllocator' },
    type: 'Normal',
    reason: 'CIDRNotAvailable',
    message: `Node ${node.key.name} status is now: CIDRNotAvailable`,
    involvedObject: nodeReference(node),
  }
}

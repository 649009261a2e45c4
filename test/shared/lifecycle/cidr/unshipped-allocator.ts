/**
 * This ships nowhere: it is what kube-controller-manager's allocator does and ours does not.
 * Kubernetes keeps its pools in memory, frees blocks one by one, retries its patch and chooses mask
 * sizes from three flags; the monitor rebuilds the pools from the nodes before each assignment and
 * writes whole objects. Kept for the vectors and laws that are played on it.
 */
import type { Cidr } from '../../../../shared/kube/cidr.ts'
import type { Node } from '../../../../shared/kube/objects.ts'
import type { Checked } from '../../../../shared/lifecycle/cidr/config.ts'
import { parseNetwork } from '../../../../shared/lifecycle/cidr/network.ts'
import {
  type BlockRange,
  blocksOf,
  type CidrPool,
  markAll,
} from '../../../../shared/lifecycle/cidr/pool.ts'

// ---- a pool that lives on -----------------------------------------------------------------------

export function usedCount({ used }: CidrPool): number {
  return used.reduce((sum, { begin, end }) => sum + end - begin + 1, 0)
}

export function mark(pool: CidrPool, cidr: Cidr): CidrPool | 'outOfRange' {
  const blocks = blocksOf(pool, cidr)
  return blocks ? markAll(pool, [blocks]) : 'outOfRange'
}

export function free(pool: CidrPool, cidr: Cidr): CidrPool | 'outOfRange' {
  const blocks = blocksOf(pool, cidr)
  return blocks ? { ...pool, used: difference(pool.used, blocks) } : 'outOfRange'
}

function difference(used: readonly BlockRange[], removed: BlockRange): BlockRange[] {
  return used.flatMap((range) =>
    [
      { begin: range.begin, end: Math.min(range.end, removed.begin - 1) },
      { begin: Math.max(range.begin, removed.end + 1), end: range.end },
    ].filter(({ begin, end }) => begin <= end),
  )
}

/** The pools after a node is gone, or after an assignment that did not happen. */
export function freeBlocks(pools: readonly CidrPool[], podCIDRs: readonly string[]): CidrPool[] {
  return pools.map((pool, i) => {
    const cidr = parseNetwork(podCIDRs[i] ?? '')
    const freed = cidr ? free(pool, cidr) : 'outOfRange'
    return freed === 'outOfRange' ? pool : freed
  })
}

// ---- the patch of a node ------------------------------------------------------------------------

const ASSIGN_ATTEMPTS = 3

type AssignmentWrite =
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
  const held = node.spec?.podCIDRs ?? []
  if (held.length === 0) {
    return { kind: 'write', patch: { spec: { podCIDR: allocated[0]!, podCIDRs: allocated } } }
  }
  const isSame = held.length === allocated.length && held.every((cidr, i) => cidr === allocated[i])
  return isSame ? { kind: 'done' } : { kind: 'giveBack', podCIDRs: allocated }
}

export type WriteFailure = 'timeout' | 'refused'

type AfterFailure =
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

// ---- mask sizes ---------------------------------------------------------------------------------

const DEFAULT_MASK = { IPv4: 24, IPv6: 64 } as const

/** The flags of kube-controller-manager; 0 and absent both mean not given. */
export interface MaskFlags {
  readonly nodeCIDRMaskSize?: number
  readonly nodeCIDRMaskSizeIPv4?: number
  readonly nodeCIDRMaskSizeIPv6?: number
}

const refuse = (problem: string) => ({ ok: false, problem }) as const

/** One mask size for each cluster range, in their order. */
export function pickMaskSizes(clusters: readonly Cidr[], flags: MaskFlags): Checked<number[]> {
  const problem =
    clusters.length > 1 ? dualStackProblem(flags) : singleStackProblem(clusters, flags)
  if (problem) return refuse(problem)

  const sizes = {
    IPv4: flags.nodeCIDRMaskSizeIPv4 || flags.nodeCIDRMaskSize || DEFAULT_MASK.IPv4,
    IPv6: flags.nodeCIDRMaskSizeIPv6 || flags.nodeCIDRMaskSize || DEFAULT_MASK.IPv6,
  }
  return { ok: true, value: clusters.map(({ family }) => sizes[family]) }
}

function dualStackProblem({ nodeCIDRMaskSize }: MaskFlags): string | undefined {
  if (!nodeCIDRMaskSize) return undefined
  return (
    'with two cluster ranges use --node-cidr-mask-size-ipv4 and --node-cidr-mask-size-ipv6' +
    ' instead of --node-cidr-mask-size'
  )
}

function singleStackProblem(clusters: readonly Cidr[], flags: MaskFlags): string | undefined {
  const { nodeCIDRMaskSize: both, nodeCIDRMaskSizeIPv4: v4, nodeCIDRMaskSizeIPv6: v6 } = flags
  if (both && (v4 || v6)) {
    return 'give either --node-cidr-mask-size or the flag of one family, not both'
  }
  const family = clusters[0]?.family
  if (family === 'IPv4' && v6) return 'drop --node-cidr-mask-size-ipv6: the cluster range is IPv4'
  if (family === 'IPv6' && v4) return 'drop --node-cidr-mask-size-ipv4: the cluster range is IPv6'
  return undefined
}

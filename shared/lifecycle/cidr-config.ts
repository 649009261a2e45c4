/** Do the cluster ranges and mask sizes make sense together? Answered once, at start-up. */
import { type Cidr, parseCidr } from './cidr.ts'
import { type PoolProblem, poolProblem } from './cidr-pool.ts'

const DEFAULT_MASK = { IPv4: 24, IPv6: 64 } as const

/** The flags of kube-controller-manager; 0 and absent both mean not given. */
export interface MaskFlags {
  readonly nodeCIDRMaskSize?: number
  readonly nodeCIDRMaskSizeIPv4?: number
  readonly nodeCIDRMaskSizeIPv6?: number
}

export type Checked<T> = { readonly ok: true; readonly value: T } | { ok: false; problem: string }

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

export interface ClusterRanges {
  readonly clusters: readonly Cidr[]
  readonly maskSizes: readonly number[]
  /** Ranges no node may get; one or two, of different families. */
  readonly services: readonly Cidr[]
}

const POOL_PROBLEMS: Readonly<Record<PoolProblem, string>> = {
  maskTooSmall: 'its mask must not be longer than the mask of a node',
  maskTooLarge: 'the mask of a node is longer than an address',
  subnetTooBig: 'the mask of a node may be at most 16 bits longer with IPv6',
}

export function checkRanges(given: {
  readonly clusterCIDRs: readonly string[]
  readonly maskSizes: readonly number[]
  readonly serviceCIDRs: readonly string[]
}): Checked<ClusterRanges> {
  const clusters = given.clusterCIDRs.map(parseCidr)
  const services = given.serviceCIDRs.map(parseCidr)
  if (!isComplete(clusters)) return refuse('a cluster range is not a CIDR')
  if (!isComplete(services)) return refuse('a service range is not a CIDR')
  if (clusters.length === 0) return refuse('give at least one cluster range')
  if (!isOnePerFamily(clusters)) return refuse('give one cluster range, or one for each family')
  if (!isOnePerFamily(services)) return refuse('give one service range, or one for each family')
  if (given.maskSizes.length !== clusters.length) {
    return refuse('give one mask size for each cluster range')
  }

  const problems = clusters.map((cluster, i) => poolProblem(cluster, given.maskSizes[i]!))
  const worst = problems.findIndex((problem) => problem !== undefined)
  if (worst >= 0) {
    return refuse(`cluster range ${given.clusterCIDRs[worst]}: ${POOL_PROBLEMS[problems[worst]!]}`)
  }
  return { ok: true, value: { clusters, maskSizes: given.maskSizes, services } }
}

function isComplete(ranges: (Cidr | undefined)[]): ranges is Cidr[] {
  return ranges.every((range) => range !== undefined)
}

/** With two families this also says: at most two. */
function isOnePerFamily(ranges: readonly Cidr[]): boolean {
  return new Set(ranges.map(({ family }) => family)).size === ranges.length
}

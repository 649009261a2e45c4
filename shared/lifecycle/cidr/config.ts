/** Do the cluster ranges and mask sizes make sense together? Answered once, at start-up. */
import type { Cidr } from '../../kube/cidr.ts'
import { parseNetwork } from './network.ts'
import { type PoolProblem, poolProblem } from './pool.ts'

export type Checked<T> = { readonly ok: true; readonly value: T } | { ok: false; problem: string }

const refuse = (problem: string) => ({ ok: false, problem }) as const

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
  const clusters = given.clusterCIDRs.map(parseNetwork)
  const services = given.serviceCIDRs.map(parseNetwork)
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

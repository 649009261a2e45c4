/**
 * Gives every node its address blocks, when that is switched on. Pools are made anew from the nodes
 * each time one is without; a record moves with every assignment, so that two monitors cannot hand
 * out the same block.
 */
import { assignBlocks, openPools } from '../../../shared/lifecycle/cidr-assignment.ts'
import {
  type Checked,
  type ClusterRanges,
  checkRanges,
} from '../../../shared/lifecycle/cidr-config.ts'
import type { CidrPool } from '../../../shared/lifecycle/cidr-pool.ts'
import type { Settings } from '../../../shared/lifecycle/settings.ts'
import type { KnownNode } from '../../../shared/lifecycle/world.ts'
import type { Key } from '../../../shared/store/ports.ts'
import { type Applying, type Replacing, replaced, replaceNode, settle } from '../apply/applying.ts'
import { commitTogether } from '../apply/together.ts'
import type { Session } from '../session.ts'

const CIDR_RECORD = 'cidr'
const TOGETHER = 50
/** What was handed out lately may not have reached our eyes yet. */
const RECENT = 200

interface CidrRecord {
  /** Where each pool goes on, so that freed blocks are reused late. */
  readonly cursors: readonly number[]
  /** The nodes that got blocks last: what they hold now is read anew before more are given. */
  readonly recent: readonly string[]
}

export async function assignPodCidrs(session: Session, applying: Applying): Promise<void> {
  const { store, settings, log } = session.deps
  if (settings.observe || !nodesIn(session).some(isWithout)) return

  const stored = await store.records.get<CidrRecord>(CIDR_RECORD)
  await session.nodes.reread(unseen(session, stored?.value.recent ?? []))
  const nodes = nodesIn(session)
  const without = nodes.filter(isWithout).slice(0, TOGETHER)
  const pools = poolsOf(settings, nodes, stored?.value)
  if (!pools.ok) return log({ level: 'error', message: `no pod CIDRs are given: ${pools.problem}` })
  const { steps, left } = share(pools.value, without)
  if (steps.length < without.length) {
    log({ level: 'warn', message: 'CIDRNotAvailable: the cluster range has no block left' })
  }
  if (steps.length === 0) return
  const given = steps.map(({ believed }) => believed.key.name)
  const recent = [...(stored?.value.recent ?? []), ...given].slice(-RECENT)
  const value: CidrRecord = { cursors: left.map(({ cursor }) => cursor), recent }
  const believed = stored && { believed: stored.version }
  const record = { do: 'putRecord' as const, name: CIDR_RECORD, value, ...believed }
  const wishes = steps.map((step) => ({ of: step, steps: [step] }))
  // The record is what all rest on: if another monitor moved it, nobody gets a block this time.
  for (const fate of await commitTogether(store, wishes, [record])) {
    if (settle(applying, 'podCidrs', fate)) applying.nodes.put(replaced(fate.of, fate.versions[0]!))
  }
}

const nodesIn = ({ nodes }: Session) => [...nodes.objects.values()] as KnownNode[]

const isWithout = ({ object: { spec, metadata } }: KnownNode) =>
  !spec?.podCIDR && !spec?.podCIDRs?.length && !metadata.deletionTimestamp

/** A block is free the moment its Node is gone, and taken as soon as any monitor gave it away. */
function unseen({ nodes }: Session, recent: readonly string[]): readonly Key[] {
  const isSeen = (name: string) => {
    const node = nodes.objects.get(`/${name}`) as KnownNode | undefined
    return node !== undefined && !isWithout(node)
  }
  const names = new Set(recent.filter((name) => !isSeen(name)))
  return [...names].map((name) => ({ namespace: '', name }))
}

function poolsOf(
  settings: Settings,
  nodes: readonly KnownNode[],
  record: CidrRecord | undefined,
): Checked<readonly CidrPool[]> {
  const ranges = rangesOf(settings)
  if (!ranges.ok) return ranges
  const pools = openPools(
    ranges.value,
    nodes.map(({ object }) => object),
  )
  if (!pools.ok) return pools
  const resumed = (pool: CidrPool, at: number) => ({
    ...pool,
    cursor: record?.cursors[at] ?? pool.cursor,
  })
  return { ok: true, value: pools.value.map(resumed) }
}

function rangesOf(settings: Settings): Checked<ClusterRanges> {
  const list = (text: string) => text.split(',').filter((part) => part !== '')
  const clusterCIDRs = list(settings.clusterCidr)
  const maskSizes = clusterCIDRs.map((cidr) =>
    cidr.includes(':') ? settings.nodeCidrMaskSizeIpv6 : settings.nodeCidrMaskSizeIpv4,
  )
  const serviceCIDRs = list(settings.serviceClusterIpRange)
  return checkRanges({ clusterCIDRs, maskSizes, serviceCIDRs })
}

function share(pools: readonly CidrPool[], nodes: readonly KnownNode[]) {
  const steps: Replacing[] = []
  let left = pools
  for (const node of nodes) {
    const assignment = assignBlocks(left, node.object)
    if (assignment.kind !== 'assign') continue
    left = assignment.pools
    const { podCIDRs } = assignment
    const spec = { ...node.object.spec, podCIDR: podCIDRs[0]!, podCIDRs }
    steps.push(replaceNode(node, { ...node.object, spec }))
  }
  return { steps, left }
}

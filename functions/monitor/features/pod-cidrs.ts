/**
 * Gives every node its address blocks, when that is switched on. Pools are made anew from the nodes
 * each time one is without; a record moves with every assignment, so that two monitors cannot hand
 * out the same block.
 */
import {
  assignBlocks,
  cidrNotAvailable,
  openPools,
} from '../../../shared/lifecycle/cidr/assignment.ts'
import {
  type Checked,
  type ClusterRanges,
  checkRanges,
} from '../../../shared/lifecycle/cidr/config.ts'
import type { CidrPool } from '../../../shared/lifecycle/cidr/pool.ts'
import type { Settings } from '../../../shared/lifecycle/settings.ts'
import type { KnownNode } from '../../../shared/lifecycle/world.ts'
import type { ReplaceStep } from '../../../shared/store/object-state.ts'
import type { Key } from '../../../shared/store/ports.ts'
import {
  type ApplyContext,
  BATCH_SIZE,
  commitCounted,
  recordEvent,
  replaced,
  replaceNode,
} from '../apply/context.ts'
import type { MonitorFeature } from '../chores/chore.ts'
import type { MonitorSession } from '../session.ts'

const CIDR_RECORD = 'cidr'
/** What another monitor handed out lately may not be in our cache yet. */
const RECENT = 200

interface CidrRecord {
  /** Where each pool goes on, so that freed blocks are reused late. */
  readonly cursors: readonly number[]
  /** The nodes that got blocks last: what they hold now is read anew before more are given. */
  readonly recent: readonly string[]
}

export const podCidrsFeature: MonitorFeature = {
  chore(session) {
    if (!session.deps.settings.allocateNodeCidrs) return undefined
    const told = new Map<string, number>()
    const work = async (context: ApplyContext) => {
      const unserved = await assignPodCidrs(session, context)
      await tellUnserved(context, told, unserved)
    }
    return { name: 'hand out pod CIDRs', everyMs: 0, work }
  },
}

/** By uid, for a node that waits long: Kubernetes tries, and tells, ever more rarely. */
const TELL_AGAIN_MS = 300_000

async function tellUnserved(
  context: ApplyContext,
  told: Map<string, number>,
  unserved: readonly KnownNode[],
): Promise<void> {
  const waiting = new Set(unserved.map(({ uid }) => uid))
  for (const uid of told.keys()) if (!waiting.has(uid)) told.delete(uid)
  for (const node of unserved) {
    if (context.nowMs - (told.get(node.uid) ?? Number.NEGATIVE_INFINITY) < TELL_AGAIN_MS) continue
    told.set(node.uid, context.nowMs)
    await recordEvent(context, cidrNotAvailable(node))
  }
}

/** Returns the nodes for which there was no block left. */
async function assignPodCidrs(
  session: MonitorSession,
  context: ApplyContext,
): Promise<readonly KnownNode[]> {
  const { store, settings, log } = session.deps
  if (settings.observe || !nodesIn(session).some(isWithout)) return []

  const stored = await store.records.get<CidrRecord>(CIDR_RECORD)
  await session.nodes.reread(unseen(session, stored?.value.recent ?? []))
  const nodes = nodesIn(session)
  const without = nodes.filter(isWithout).slice(0, BATCH_SIZE)
  const pools = poolsOf(settings, nodes, stored?.value)
  if (!pools.ok) {
    log({ level: 'error', message: `no pod CIDRs are given: ${pools.problem}` })
    return []
  }
  const { steps, left, unserved } = share(pools.value, without)
  if (steps.length === 0) return unserved
  const given = steps.map(({ believed }) => believed.key.name)
  const recent = [...(stored?.value.recent ?? []), ...given].slice(-RECENT)
  const value: CidrRecord = { cursors: left.map(({ cursor }) => cursor), recent }
  const believed = stored && { believed: stored.version }
  const record = { do: 'putRecord' as const, name: CIDR_RECORD, value, ...believed }
  const items = steps.map((step) => ({ of: step, steps: [step] }))
  // All rest on the record: if another monitor moved it, no node gets a block this time.
  for (const { of, versions } of await commitCounted(context, 'podCidrs', items, [record])) {
    context.nodes.put(replaced(of, versions[0]!))
  }
  return unserved
}

const nodesIn = ({ nodes }: MonitorSession) => [...nodes.objects.values()] as KnownNode[]

const isWithout = ({ object: { spec, metadata } }: KnownNode) =>
  !spec?.podCIDR && !spec?.podCIDRs?.length && !metadata.deletionTimestamp

/** A block is free the moment its Node is gone, and taken as soon as any monitor assigned it. */
function unseen({ nodes }: MonitorSession, recent: readonly string[]): readonly Key[] {
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
  const steps: ReplaceStep[] = []
  const unserved: KnownNode[] = []
  let left = pools
  for (const node of nodes) {
    const assignment = assignBlocks(left, node.object)
    if (assignment.kind === 'none') unserved.push(node)
    if (assignment.kind !== 'assign') continue
    left = assignment.pools
    const { podCIDRs } = assignment
    const spec = { ...node.object.spec, podCIDR: podCIDRs[0]!, podCIDRs }
    steps.push(replaceNode(node, { ...node.object, spec }))
  }
  return { steps, left, unserved }
}

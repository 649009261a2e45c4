/** What is written on pods: not ready with their host, countdowns, evictions, removals. */
import { parseTimeMs } from '../../../shared/kube/time.ts'
import { EVICT_AT } from '../../../shared/lifecycle/eviction-record.ts'
import type { Action, KnownPod, PodChange } from '../../../shared/lifecycle/world.ts'
import { zoneKey } from '../../../shared/lifecycle/zone-key.ts'
import type { Step } from '../../../shared/store/ports.ts'
import {
  type Applying,
  type Replacing,
  replaced,
  replacePod,
  settle,
  storedOf,
} from './applying.ts'
import { inChunks, runPool } from './pool.ts'
import { count } from './tally.ts'
import { commitTogether } from './together.ts'

type Eviction = Extract<Action, { readonly do: 'evictPod' }>
type Removal = Extract<Action, { readonly do: 'deletePod' }>

const TOGETHER = 50
/** The pod, its tombstone and its host's inbox: three items each, a hundred to a transaction. */
const REMOVED_TOGETHER = 33
/** All of them rest on the fleet's record: many at once would only get in each other's way. */
const PARALLEL_EVICTIONS = 2

export async function changePods(
  applying: Applying,
  deed: 'markPodsNotReady' | 'setPodDue' | 'cancelPodDue',
  changes: readonly PodChange[],
): Promise<void> {
  const jobs = inChunks(changes, TOGETHER).map((chunk) => async () => {
    const wishes = chunk.map(({ pod, next }) => {
      const step = replacePod(pod, next)
      return { of: step, steps: [step] }
    })
    for (const fate of await commitTogether(applying.deps.store, wishes)) {
      if (settle(applying, deed, fate)) applying.pods.put(replaced(fate.of, fate.versions[0]!))
    }
  })
  applying.tally.unfinished += await runPool(jobs, applying)
}

/**
 * Pod, node taint and the records of zone and fleet as they were judged, or the pod stays: a pause
 * holds from the moment it is written.
 */
export async function evictPods(applying: Applying, evictions: readonly Eviction[]): Promise<void> {
  const byNode = Map.groupBy(evictions, ({ node, pod }) => node?.uid ?? hostOf(pod))
  const chunks = [...byNode.values()].flatMap((its) => inChunks(its, TOGETHER))
  const jobs = chunks.map((chunk) => async () => {
    // Asked now and not before: an own write of this tick has moved the record on.
    const shared = beliefs(applying, chunk[0]!)
    if (!shared) return
    const wishes = chunk.map((eviction) => {
      const step = replacePod(eviction.pod, eviction.next)
      return { of: { eviction, step }, steps: [step] }
    })
    for (const fate of await commitTogether(applying.deps.store, wishes, shared)) {
      if (!settle(applying, 'evictPod', fate)) continue
      noteLag(applying, fate.of.eviction)
      applying.pods.put(replaced(fate.of.step, fate.versions[0]!))
    }
  })
  applying.tally.unfinished += await runPool(jobs, { ...applying, parallel: PARALLEL_EVICTIONS })
}

function beliefs({ books }: Applying, { node, pod }: Eviction): readonly Step[] | undefined {
  if (!books.fleet || books.isFleetLost) return undefined
  const host: Step[] = node ? [{ do: 'confirmObject', believed: storedOf(node) }] : confirmGone(pod)
  const zoneName = node && zoneKey(node.object)
  const zone = zoneName === undefined ? undefined : books.zones.get(zoneName)
  if (zoneName !== undefined && books.lostZones.has(zoneName)) return undefined
  return [
    { do: 'confirmObject', believed: books.fleet },
    ...(zone ? [{ do: 'confirmObject' as const, believed: zone }] : []),
    ...host,
    { do: 'raiseInbox', nodeName: hostOf(pod) },
  ]
}

/** Whoever has come back under its name is not gone. */
const confirmGone = (pod: KnownPod): Step[] => [
  { do: 'confirmNoObject', resource: 'nodes', key: { namespace: '', name: hostOf(pod) } },
]

function noteLag({ tally, deps }: Applying, { pod }: Eviction): void {
  const dueAtMs = parseTimeMs(pod.object.metadata.annotations?.[EVICT_AT] ?? '')
  if (dueAtMs !== undefined) tally.evictLagsMs.push(Math.max(0, deps.clock() - dueAtMs))
}

/** Pods whose deletion needs nobody's word any more: a grace of nothing, and no finalizers. */
export function isOver({ object }: KnownPod): boolean {
  const { deletionTimestamp, deletionGracePeriodSeconds, finalizers = [] } = object.metadata
  return Boolean(deletionTimestamp) && deletionGracePeriodSeconds === 0 && finalizers.length === 0
}

export async function removePods(applying: Applying, pods: readonly KnownPod[]): Promise<void> {
  const jobs = inChunks(pods, REMOVED_TOGETHER).map((chunk) => async () => {
    const wishes = chunk.map((pod) => ({ of: pod, steps: removal(pod) }))
    for (const fate of await commitTogether(applying.deps.store, wishes)) {
      if (settle(applying, 'deletePod', fate)) applying.pods.drop(fate.of.key)
    }
  })
  applying.tally.unfinished += await runPool(jobs, applying)
}

function removal(pod: KnownPod): readonly Step[] {
  const nodeName = hostOf(pod)
  const believed = storedOf(pod)
  return [
    { do: 'deleteObject', believed },
    ...(nodeName ? [{ do: 'raiseInbox' as const, nodeName }] : []),
  ]
}

/** Written as failed first, if it still ran: whoever watches sees how it ended. */
export async function collectPods(applying: Applying, removals: readonly Removal[]): Promise<void> {
  const jobs = removals.map((action) => async () => {
    const label = `${action.pod.key.namespace} ${action.reason}`
    count(applying.tally.collected, label)
    if (!(await collect(applying, action))) count(applying.tally.collectErrors, label)
  })
  applying.tally.unfinished += await runPool(jobs, applying)
}

async function collect(applying: Applying, { pod, patched, reason }: Removal): Promise<boolean> {
  const { store } = applying.deps
  const shared = reason === 'orphaned' ? confirmGone(pod) : []
  const step: Replacing | undefined = patched && replacePod(pod, patched)
  let last = pod
  if (step) {
    const [fate] = await commitTogether(store, [{ of: step, steps: [step] }], shared)
    if (!settle(applying, 'deletePod', fate!)) return false
    last = replaced(step, fate.versions[0]!) as KnownPod
    applying.pods.put(storedOf(last))
  }
  const [fate] = await commitTogether(store, [{ of: last, steps: removal(last) }], shared)
  if (!settle(applying, 'deletePod', fate!)) return false
  applying.pods.drop(pod.key)
  return true
}

const hostOf = (pod: KnownPod) => pod.object.spec?.nodeName ?? ''

/** What is written on pods: not ready with their host, countdowns, evictions, removals. */
import { parseTimeMs } from '../../../shared/kube/time.ts'
import { EVICT_AT } from '../../../shared/lifecycle/eviction/countdown.ts'
import type { Action, KnownPod } from '../../../shared/lifecycle/world.ts'
import { zoneKey } from '../../../shared/lifecycle/zones/zone-state.ts'
import type { StoredObject, WriteStep } from '../../../shared/store/ports.ts'
import { inChunks } from './commit-batch.ts'
import {
  type ApplyContext,
  BATCH_SIZE,
  commitCounted,
  readWhole,
  replaced,
  replacePod,
  runJobs,
  storedOf,
} from './context.ts'

type Eviction = Extract<Action, { readonly do: 'evictPod' }>

/** The pod, its tombstone and its host's inbox: three items each, a hundred to a transaction. */
const REMOVED_TOGETHER = 33
/** All of them rest on the fleet's record: many at once would only get in each other's way. */
const PARALLEL_EVICTIONS = 2

/**
 * Pod, node taint and the records of zone and fleet as they were judged, or the pod stays: a pause
 * holds from the moment it is written.
 */
export async function evictPods(
  context: ApplyContext,
  evictions: readonly Eviction[],
): Promise<void> {
  const byNode = Map.groupBy(evictions, ({ node, pod }) => node?.uid ?? hostOf(pod))
  const chunks = [...byNode.values()].flatMap((its) => inChunks(its, BATCH_SIZE))
  const jobs = chunks.map((chunk) => async () => {
    // Asked now and not before: an own write of this tick has moved the record on.
    const shared = beliefs(context, chunk[0]!)
    if (!shared) return
    const items = (await readWhole(context, 'evictPod', chunk)).map((eviction) => {
      const step = replacePod(eviction)
      return { of: { pod: eviction.pod, step }, steps: [step] }
    })
    if (items.length === 0) return
    for (const { of, versions } of await commitCounted(context, 'evictPod', items, shared)) {
      noteLag(context, of.pod)
      context.pods.put(replaced(of.step, versions[0]!))
    }
  })
  await runJobs(context, jobs, PARALLEL_EVICTIONS)
}

function beliefs(
  { state }: ApplyContext,
  { node, pod }: Eviction,
): readonly WriteStep[] | undefined {
  if (!state.fleet || state.isFleetStale) return undefined
  const host = node ? { do: 'confirmObject' as const, believed: storedOf(node) } : confirmGone(pod)
  const zoneName = node && zoneKey(node.object)
  const zone = zoneName === undefined ? undefined : state.zones.get(zoneName)
  if (zoneName !== undefined && state.staleZones.has(zoneName)) return undefined
  return [
    { do: 'confirmObject', believed: state.fleet },
    ...(zone ? [{ do: 'confirmObject' as const, believed: zone }] : []),
    host,
    { do: 'raiseInbox', nodeName: hostOf(pod) },
  ]
}

/** A node that was registered again under that name is not gone. */
export const confirmGone = (pod: KnownPod): WriteStep => ({
  do: 'confirmNoObject',
  resource: 'nodes',
  key: { namespace: '', name: hostOf(pod) },
})

function noteLag({ actionCounts, deps }: ApplyContext, { object }: KnownPod): void {
  const dueAtMs = parseTimeMs(object.metadata.annotations?.[EVICT_AT] ?? '')
  if (dueAtMs !== undefined) actionCounts.evictLagsMs.push(Math.max(0, deps.clock() - dueAtMs))
}

/**
 * A pod evicted without any grace is first marked and then removed; a monitor that died in between
 * left some.
 */
export async function removeEndedPods(context: ApplyContext): Promise<void> {
  const ended = [...(context.pods.objects.values() as Iterable<KnownPod>)].filter(isEnded)
  const jobs = inChunks(ended, REMOVED_TOGETHER).map((chunk) => async () => {
    const whole = await readWhole(
      context,
      'deletePod',
      chunk.map((pod) => ({ pod })),
    )
    const items = whole.map(({ pod, stored }) => ({ of: pod, steps: removalSteps(stored) }))
    for (const { of } of await commitCounted(context, 'deletePod', items)) {
      context.pods.drop(of.key)
    }
  })
  await runJobs(context, jobs)
}

/** No host has to confirm its end any more: a grace of nothing, and no finalizers. */
function isEnded({ object }: KnownPod): boolean {
  const { deletionTimestamp, deletionGracePeriodSeconds, finalizers = [] } = object.metadata
  return Boolean(deletionTimestamp) && deletionGracePeriodSeconds === 0 && finalizers.length === 0
}

/** Takes the pod as it is stored: watches are told its last labels. */
export function removalSteps(believed: StoredObject): readonly WriteStep[] {
  const nodeName = hostOf(believed as KnownPod)
  return [
    { do: 'deleteObject', believed },
    ...(nodeName ? [{ do: 'raiseInbox' as const, nodeName }] : []),
  ]
}

const hostOf = (pod: KnownPod) => pod.object.spec?.nodeName ?? ''

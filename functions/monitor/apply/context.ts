/** What every step of one tick has at hand, and how it commits and counts what it writes. */
import { nodes as nodeResource, withoutEmptyTaints } from '../../../shared/kube/node/resource.ts'
import type { Node, Pod } from '../../../shared/kube/objects.ts'
import { pods as podResource } from '../../../shared/kube/pod/resource.ts'
import { formatTime } from '../../../shared/kube/time.ts'
import type { EventDraft } from '../../../shared/lifecycle/events/core-events.ts'
import { carriedOver } from '../../../shared/lifecycle/eviction/judged-pod.ts'
import type { CounterName } from '../../../shared/lifecycle/metrics/catalogue.ts'
import type {
  EmittedEvent,
  KnownNode,
  KnownPod,
  PodChange,
} from '../../../shared/lifecycle/world.ts'
import { keyText, type ReplaceStep } from '../../../shared/store/object-state.ts'
import type { StoredObject, WriteStep } from '../../../shared/store/ports.ts'
import type { MonitorLog } from '../deps.ts'
import type { ObjectCache } from '../read/object-cache.ts'
import type { MonitorSession } from '../session.ts'
import type { StoredState } from '../stored-state/stored-state.ts'
import { type BatchItem, type BatchResult, commitBatch, inChunks, runPool } from './commit-batch.ts'

export interface ApplyContext extends Pick<MonitorSession, 'deps' | 'nodes' | 'pods'> {
  readonly session: MonitorSession
  /** The instant everything was decided for. */
  readonly nowMs: number
  readonly state: StoredState
  readonly actionCounts: ActionCounts
  /** Nodes whose mark came too late for what was judged: to be judged again at once. */
  readonly outrunMarks: Set<string>
  /** Is the time of this tick used up? */
  readonly isOver: () => boolean
}

/** However short the period, a tick may work this long; then it leaves the rest to the next. */
const LEAST_BUDGET_MS = 10_000

export function applyContext(
  session: MonitorSession,
  state: StoredState,
  nowMs: number,
): ApplyContext {
  const { deps, nodes, pods } = session
  const untilMs = nowMs + Math.max(LEAST_BUDGET_MS, deps.settings.nodeMonitorPeriodMs)
  const isOver = () => deps.clock() > untilMs
  const fresh = { actionCounts: newActionCounts(), outrunMarks: new Set<string>() }
  return { session, deps, nodes, pods, nowMs, state, ...fresh, isOver }
}

// ---- replacing nodes and pods -------------------------------------------------------------------

/** The world was built of stored nodes, so that is what comes back in its actions. */
export const storedOf = (known: KnownNode): StoredObject => known as StoredObject

export function replaceNode(
  node: KnownNode,
  next: Node,
  emits: readonly EmittedEvent[] = [],
): ReplaceStep {
  return {
    ...replaceStep(storedOf(node), withoutEmptyTaints(next), nodeResource.selectable(next)),
    emits,
  }
}

/**
 * The pods as they are stored, of which the monitor keeps but what it judges. Those that changed since
 * they were judged are outrun, and counted under `action`.
 */
export async function readWhole<T extends { readonly pod: KnownPod }>(
  context: ApplyContext,
  action: string,
  all: readonly T[],
): Promise<readonly (T & { readonly stored: StoredObject })[]> {
  const { deps, actionCounts } = context
  const keys = all.map(({ pod }) => pod.key)
  let found: readonly StoredObject[]
  try {
    found = await deps.store.objects.read('pods', keys)
  } catch (error) {
    for (const of of all) countResult(context, action, { kind: 'failed', of, error })
    return []
  }
  const byKey = new Map(found.map((stored) => [keyText(stored.key), stored]))
  return all.flatMap((one) => {
    const { uid, version, key } = one.pod
    const stored = byKey.get(keyText(key))
    if (stored?.uid === uid && stored.version === version) return [{ ...one, stored }]
    addCount(actionCounts.outrun, action)
    return []
  })
}

interface WholeChange {
  readonly stored: StoredObject
  readonly pod: KnownPod
  readonly next: Pod
  readonly emits: readonly EmittedEvent[]
}

export function replacePod({ stored, pod, next, emits }: WholeChange): ReplaceStep {
  const object = carriedOver(stored.object, pod.object, next)
  return { ...replaceStep(stored, object, podResource.selectable(object)), emits }
}

function replaceStep(
  believed: StoredObject,
  object: Node | Pod,
  fields: Readonly<Record<string, string>>,
): ReplaceStep {
  const { receivedAtMs } = believed
  // The beat stays as it was: what the monitor writes is no sign of life.
  const beat = receivedAtMs !== undefined && { receivedAtMs }
  return { do: 'replaceObject', believed, object, fields, ...beat }
}

/** What the store holds after a replacement of ours, which saves reading it. */
export function replaced(step: ReplaceStep, version: number): StoredObject {
  const metadata = { ...step.object.metadata, resourceVersion: String(version) }
  const object = { ...step.object, metadata }
  const { writtenBy: _before, ...believed } = step.believed
  return { ...believed, version, object, fields: step.fields }
}

// ---- Events that no write of an object carries ---------------------------------------------------

/** An Event that cannot be written holds nothing up: what it tells is logged too. */
export async function recordEvent(
  { session, deps, nowMs }: ApplyContext,
  event: EventDraft,
): Promise<void> {
  const { type, reason, message } = event
  deps.log({ level: type === 'Warning' ? 'warn' : 'info', message, reason })
  const version = nowMs * 1_000
  try {
    await session.recorder.record({ ...event, version, time: formatTime(nowMs) })
    await session.recorder.flush()
  } catch (error) {
    deps.log({ level: 'warn', message: `the Event ${reason} could not be written`, error })
  }
}

// ---- committing and counting --------------------------------------------------------------------

/** An item alone takes one or two places of a transaction, which has a hundred. */
export const BATCH_SIZE = 50

type Done<T> = Extract<BatchResult<T>, { readonly kind: 'done' }>

/** Commits the items, counts what became of each under `action`, and returns those done. */
export async function commitCounted<T>(
  context: ApplyContext,
  action: string,
  items: readonly BatchItem<T>[],
  shared: readonly WriteStep[] = [],
): Promise<readonly Done<T>[]> {
  const results = await commitBatch(context.deps.store, items, shared)
  return results.filter((result) => countResult(context, action, result))
}

/** Commits each step by itself, in batches, and keeps the cache in step with the store. */
export async function replaceAll(
  context: ApplyContext,
  action: string,
  steps: readonly ReplaceStep[],
  cache: ObjectCache,
): Promise<void> {
  const jobs = inChunks(steps, BATCH_SIZE).map((chunk) => async () => {
    const items = chunk.map((step) => ({ of: step, steps: [step] }))
    for (const { of, versions } of await commitCounted(context, action, items)) {
      cache.put(replaced(of, versions[0]!))
    }
  })
  await runJobs(context, jobs)
}

/** The same for pods, each built on the pod as it is stored. */
export async function replacePods(
  context: ApplyContext,
  action: string,
  changes: readonly PodChange[],
): Promise<void> {
  const jobs = inChunks(changes, BATCH_SIZE).map((chunk) => async () => {
    const steps = (await readWhole(context, action, chunk)).map(replacePod)
    const items = steps.map((step) => ({ of: step, steps: [step] }))
    for (const { of, versions } of await commitCounted(context, action, items)) {
      context.pods.put(replaced(of, versions[0]!))
    }
  })
  await runJobs(context, jobs)
}

/** True when it was done. */
export function countResult<T>(
  { actionCounts, deps }: ApplyContext,
  action: string,
  result: BatchResult<T>,
): result is Done<T> {
  if (result.kind === 'done') addCount(actionCounts.done, action)
  if (result.kind === 'outrun') addCount(actionCounts.outrun, action)
  if (result.kind === 'failed') countFailure(actionCounts, deps.log, action, result.error)
  return result.kind === 'done'
}

/** Runs jobs a few at a time; those not begun when the tick's time is up are counted. */
export async function runJobs(
  context: ApplyContext,
  jobs: readonly (() => Promise<void>)[],
  parallel?: number,
): Promise<void> {
  const { isOver, actionCounts } = context
  actionCounts.unfinished += await runPool(jobs, { isOver, ...(parallel && { parallel }) })
}

/**
 * What one tick did, published as metrics. The first three by the kind of action (`markUnknown`) or
 * the feature that wrote.
 */
export interface ActionCounts {
  readonly done: Map<string, number>
  readonly outrun: Map<string, number>
  readonly failed: Map<string, number>
  /** Commits that were not begun because the time was up. */
  unfinished: number
  /** What only one step or feature counts, under the name and labels of its metric. */
  readonly counters: CounterIncrement[]
  /** Milliseconds from a deadline to the written Unknown. */
  readonly markLagsMs: number[]
  /** Milliseconds from a pod's due time to its written eviction. */
  readonly evictLagsMs: number[]
}

interface CounterIncrement {
  readonly name: CounterName
  readonly labels: Readonly<Record<string, string>>
}

function newActionCounts(): ActionCounts {
  return {
    done: new Map(),
    outrun: new Map(),
    failed: new Map(),
    unfinished: 0,
    counters: [],
    markLagsMs: [],
    evictLagsMs: [],
  }
}

function addCount(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1)
}

export const totalCount = (counts: ReadonlyMap<string, number>): number =>
  counts.values().reduce((sum, each) => sum + each, 0)

/** The same failure a thousand times is one line and a number. */
const LOGGED_FAILURES = 3

function countFailure(
  { failed }: ActionCounts,
  log: (entry: MonitorLog) => void,
  action: string,
  error: unknown,
): void {
  addCount(failed, action)
  if (failed.get(action)! > LOGGED_FAILURES) return
  log({ level: 'error', message: `${action} failed; the next tick tries again`, error })
}

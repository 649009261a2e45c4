/**
 * Lines of what ships without which the suites of the vectors must fail: a suite that
 * passes all the same has an adapter that decides by itself.
 */
import { type Promised, promises } from './promises.ts'

const DECIDE = 'test/shared/lifecycle/decide.test.ts'
const EVICTION = 'test/shared/lifecycle/eviction/judge-pod.vectors.test.ts'

/** File of vectors, source, line, what it becomes, suite. */
const rows: readonly (readonly [string, string, string, string, string])[] = [
  [
    'monitor-node-health',
    'functions/monitor/apply/nodes.ts',
    'const step = replaceNode(mark.node, mark.next, mark.emits)',
    'const step = replaceNode(mark.node, mark.node.object, mark.emits)',
    DECIDE,
  ],
  [
    'try-update-node-health',
    'functions/monitor/apply/nodes.ts',
    'const step = replaceNode(mark.node, mark.next, mark.emits)',
    'const step = replaceNode(mark.node, mark.node.object, mark.emits)',
    'test/shared/lifecycle/liveness/health.test.ts',
  ],
  [
    'pods-not-ready',
    'functions/monitor/apply/apply.ts',
    '.flatMap(({ pods }) => pods)',
    '.flatMap(() => [])',
    DECIDE,
  ],
  [
    'noexecute-taints',
    'functions/monitor/apply/nodes.ts',
    'const item: BatchItem<string> = { of: zone.key, steps: [...record.steps, step] }',
    'const item: BatchItem<string> = { of: zone.key, steps: record.steps }',
    DECIDE,
  ],
  [
    'noschedule-taints',
    'functions/monitor/apply/nodes.ts',
    'const steps = updates.map(({ node, next }) => replaceNode(node, next))',
    'const steps = updates.map(({ node }) => replaceNode(node, node.object))',
    DECIDE,
  ],
  [
    'label-reconcile',
    'functions/monitor/apply/nodes.ts',
    'const steps = updates.map(({ node, next }) => replaceNode(node, next))',
    'const steps = updates.map(({ node }) => replaceNode(node, node.object))',
    'test/shared/lifecycle/liveness/node-plan.test.ts',
  ],
  [
    'zone-disruption',
    'functions/monitor/stored-state/write.ts',
    'const object = withZoneRecord(before as Zone, change.next, deps.settings)',
    'const object = before as Zone',
    DECIDE,
  ],
  [
    'classify-nodes',
    'shared/lifecycle/events/core-events.ts',
    "...(before ? [] : [nodeEvent(after, 'RegisteredNode')]),",
    '',
    'test/shared/lifecycle/liveness/judge-node.test.ts',
  ],
  [
    'taint-eviction',
    'functions/monitor/apply/apply.ts',
    'await evictPods(context, sorted.evictPod)',
    '',
    EVICTION,
  ],
  [
    'timed-workers',
    'functions/monitor/apply/apply.ts',
    "await replacePods(context, 'setPodDue', changesOf(sorted.setPodDue))",
    '',
    EVICTION,
  ],
  [
    'rate-limited-queue',
    'functions/monitor/apply/apply.ts',
    'if (!context.state.isFleetStale) await taintNodes(context, sorted.taintNoExecute)',
    '',
    'test/shared/lifecycle/zones/limiter.test.ts',
  ],
  [
    'pod-gc',
    'functions/monitor/features/pod-garbage.ts',
    "actions.filter((action) => action.do === 'deletePod'),",
    '[],',
    'test/shared/lifecycle/garbage/pod-garbage.test.ts',
  ],
  [
    'cloud-node-lifecycle',
    'functions/monitor/features/cloud-check/cloud-check.ts',
    "if (verdict.kind === 'delete') await removeNode(context, node)",
    '',
    'test/shared/lifecycle/cloud/cloud.test.ts',
  ],
]

const vectorPromises: readonly Promised[] = rows.map(
  ([vectors, file, line, spoiled, caughtBy]) => ({
    promise: `the vectors of ${vectors} are decided by what ships`,
    file,
    line,
    spoiled,
    caughtBy,
    named: `${vectors} vectors`,
  }),
)

export const everyPromise: readonly Promised[] = [...promises, ...vectorPromises]

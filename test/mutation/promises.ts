/**
 * Lines that keep people's pods alive. Each is spoiled in turn, and a quick part of the suite must
 * notice.
 */

export interface Promised {
  /** What the line promises. */
  readonly promise: string
  readonly file: string
  /** Found exactly once in the file. */
  readonly line: string
  readonly spoiled: string
  /** The test file that must fail, and of it only what is named so. */
  readonly caughtBy: string
  readonly named?: string
  /** The invariant that the simulation finds broken, as it is called there. */
  readonly breaks?: string
}

const MODEL = 'test/simulation/model-check.test.ts'
/** Ten seeds are enough for these. */
const WORLDS = { caughtBy: 'test/simulation/worlds.test.ts', named: 'from 1 on' }
const DYNAMODB = 'test/contract/dynamodb.test.ts'
const LOST_ANSWERS = 'test/contract/lost-answers.test.ts'

export const promises: readonly Promised[] = [
  {
    promise: 'a lease beat is a sign of life',
    file: 'shared/lifecycle/liveness/health.ts',
    line: 'return Math.max(node.receivedAtMs ?? 0, beatMs, createdAtMs(node.object), floorMs)',
    spoiled: 'return Math.max(node.receivedAtMs ?? 0, createdAtMs(node.object), floorMs)',
    caughtBy: MODEL,
    breaks: '1 beats',
  },
  {
    promise: 'a mark states the lease it judged: a beat committed first wins',
    file: 'shared/store/memory/commit.ts',
    line: 'return memory.leases.get(keyText(step.lease.key))?.version === step.lease.version',
    spoiled: 'return true',
    caughtBy: MODEL,
    breaks: '1 beats',
  },
  {
    promise: 'a write states the version it was computed from',
    file: 'shared/store/memory/commit.ts',
    line: 'return found?.version === version && found.uid === uid',
    spoiled: 'return found !== undefined',
    caughtBy: MODEL,
    breaks: '7 keeping',
  },
  {
    promise: 'a taint costs a token',
    file: 'shared/lifecycle/zones/limiter.ts',
    line: 'return bucket(limiter.rate, Math.max(0, tokens - 1), Math.max(atMs, limiter.refilledAtMs))',
    spoiled: 'return bucket(limiter.rate, tokens, Math.max(atMs, limiter.refilledAtMs))',
    caughtBy: MODEL,
    breaks: '3 pace',
  },
  {
    promise: 'a change of rate mints no token',
    file: 'shared/lifecycle/zones/limiter.ts',
    line: 'const tokens = canGrant(limiter, nowMs) ? CAPACITY : 0',
    spoiled: 'const tokens = CAPACITY',
    caughtBy: MODEL,
    breaks: '3 pace',
  },
  {
    promise: 'taint and token are one transaction',
    file: 'functions/monitor/apply/nodes.ts',
    line: 'const item: BatchItem<string> = { of: zone.key, steps: [...record.steps, step] }',
    spoiled: 'const item: BatchItem<string> = { of: zone.key, steps: [step] }',
    caughtBy: MODEL,
    breaks: '3 pace',
  },
  {
    promise: 'nobody settles before the last of a blackout is found',
    file: 'shared/lifecycle/liveness/judge-node.ts',
    line: ': observedDeadlineMs(pauses, sinceMs, nodeEvictionSettleMs)',
    spoiled: ': sinceMs',
    caughtBy: MODEL,
    breaks: '4 disruption',
  },
  {
    promise: 'while all are down lifecycle taints evict nobody',
    file: 'shared/lifecycle/eviction/pod-decisions.ts',
    line: "const acting = fleet.disruption === 'none' ? taints : taints?.filter((t) => !isLifecycleTaint(t))",
    spoiled: 'const acting = taints',
    caughtBy: 'test/shared/lifecycle/decide.test.ts',
  },
  {
    promise: 'leaving a disruption starts every clock afresh',
    file: 'shared/lifecycle/zones/disruption.ts',
    line: "return { ...rest, disruption: 'none', floorMs: Math.max(fleet.floorMs, nowMs) }",
    spoiled: "return { ...rest, disruption: 'none', floorMs: fleet.floorMs }",
    caughtBy: 'test/shared/lifecycle/zones/disruption.test.ts',
  },
  {
    promise: 'an eviction states the fleet it was judged in',
    file: 'functions/monitor/apply/pods.ts',
    line: "{ do: 'confirmObject', believed: state.fleet },",
    spoiled: '',
    caughtBy: 'test/functions/monitor/apply/apply.races.test.ts',
  },
  {
    promise: 'an eviction states the zone it was judged in',
    file: 'functions/monitor/apply/pods.ts',
    line: "...(zone ? [{ do: 'confirmObject' as const, believed: zone }] : []),",
    spoiled: '',
    caughtBy: 'test/functions/monitor/apply/apply.races.test.ts',
  },
  {
    promise: 'a taint states the fleet it was granted in',
    file: 'functions/monitor/apply/nodes.ts',
    line: "const shared: WriteStep[] = fleet ? [{ do: 'confirmObject', believed: fleet }] : []",
    spoiled: 'const shared: WriteStep[] = fleet ? [] : []',
    caughtBy: 'test/functions/monitor/apply/apply.races.test.ts',
  },
  {
    promise: 'between ticks nobody goes when nobody is up',
    file: 'shared/lifecycle/decide.ts',
    line: 'if (hasReadyNode(draft)) {',
    spoiled: 'if (draft) {',
    caughtBy: 'test/shared/lifecycle/decide.test.ts',
  },
  {
    promise: 'while stopped no taint is swapped',
    file: 'shared/lifecycle/liveness/judge-node.ts',
    line: 'const maySwap = isTainted && nodeHoldReason(draft, node, zone) === undefined',
    spoiled: 'const maySwap = isTainted',
    caughtBy: 'test/shared/lifecycle/decide.test.ts',
  },
  {
    promise: 'what the monitor writes is no sign of life',
    file: 'functions/monitor/apply/context.ts',
    line: 'const beat = receivedAtMs !== undefined && { receivedAtMs }',
    spoiled: 'const beat = receivedAtMs !== undefined && { receivedAtMs: receivedAtMs + 1 }',
    caughtBy: MODEL,
    breaks: '7 keeping',
  },
  {
    promise: 'the blind mark nobody',
    file: 'shared/lifecycle/liveness/judge-node.ts',
    line: 'const marksNow = marks && canJudge(draft)',
    spoiled: 'const marksNow = marks',
    caughtBy: 'test/shared/lifecycle/decide.test.ts',
  },
  {
    promise: 'a clock that is far off judges nothing',
    file: 'shared/lifecycle/liveness/visibility.ts',
    line: 'if (Math.abs(skewMs) > MAX_CLOCK_SKEW_MS) {',
    spoiled: 'if (Math.abs(skewMs) > 1e12) {',
    caughtBy: 'test/shared/lifecycle/liveness/visibility.test.ts',
  },
  {
    promise: 'a refused beat counts until it is a grace old',
    file: 'shared/lifecycle/liveness/visibility.ts',
    line: 'const youngMs = [...refusedAtMs].filter((atMs) => nowMs <= atMs + graceMs)',
    spoiled: 'const youngMs = [...refusedAtMs].filter((atMs) => nowMs <= atMs)',
    caughtBy: 'test/shared/lifecycle/liveness/visibility.test.ts',
  },
  {
    promise: 'one node blinds nobody',
    file: 'shared/lifecycle/liveness/visibility.ts',
    line: 'const enough = Math.max(BLIND_NODES, Math.ceil(beatingNodes * BLIND_SHARE))',
    spoiled: 'const enough = 1',
    caughtBy: 'test/shared/lifecycle/liveness/visibility.test.ts',
  },
  {
    promise: 'a host whose beats we refused is not condemned',
    file: 'shared/lifecycle/liveness/health.ts',
    line: 'return refusedMs > lastSignMs(node, beat, floorMs) ? refusedMs : undefined',
    spoiled: 'return undefined',
    ...WORLDS,
    breaks: '8 holds',
  },
  {
    promise: 'what a caller brings about is no refusal of ours',
    file: 'functions/api/serve.ts',
    line: 'if (!api.onRefusedBeat || serviceFaultOf(error) === undefined || !isBeat(request)) return',
    spoiled: 'if (!api.onRefusedBeat || !isBeat(request)) return',
    caughtBy: 'test/attacks/blinding.test.ts',
  },
  {
    promise: 'a pause of the fleet stops taints and evictions',
    file: 'shared/lifecycle/zones/holds.ts',
    line: "if (openInterval(draft.fleet.stops)) return 'fleetPaused'",
    spoiled: '',
    ...WORLDS,
    breaks: '8 holds',
  },
  {
    promise: 'a lease is taken only when its time has run out',
    file: 'shared/lifecycle/liveness/holder.ts',
    line: "if (from && rule === 'checked' && !isLeaseExpired(stored, nowMs)) return { kind: 'held' }",
    spoiled: '',
    ...WORLDS,
    breaks: '6 leases',
  },
  {
    promise: 'every acquisition counts one up',
    file: 'shared/lifecycle/liveness/holder.ts',
    line: "return counted('acquire', (stored.leaseTransitions ?? 0) + 1)",
    spoiled: "return counted('acquire', stored.leaseTransitions)",
    ...WORLDS,
    breaks: '6 leases',
  },
  {
    promise: 'a failing canary blinds',
    file: 'functions/monitor/read/world.ts',
    line: 'session.canaryFailingSinceMs ??= session.canaryOkAtMs ?? nowMs',
    spoiled: '',
    caughtBy: 'test/functions/monitor/tick.stops.test.ts',
  },
  {
    promise: 'silence past the grace is seen',
    file: 'shared/lifecycle/liveness/judge-node.ts',
    line: 'const isSilent = draft.nowMs > endMs',
    spoiled: 'const isSilent = draft.nowMs > endMs + 60_000',
    ...WORLDS,
    breaks: '2 silence',
  },
  {
    promise: 'a host that is back loses its taints',
    file: 'shared/lifecycle/taints/node-taints.ts',
    line: "if (current === 'True') return hasNotReady || hasUnreachable ? 'reachable' : 'kept'",
    spoiled: "if (current === 'True') return 'kept'",
    ...WORLDS,
    breaks: '8 holds',
  },
  {
    promise: 'every zone down at once is a disruption of the fleet',
    file: 'shared/lifecycle/zones/disruption.ts',
    line: "if (allFull) return isDisrupted ? 'stay' : 'enter'",
    spoiled: "if (allFull) return isDisrupted ? 'stay' : 'none'",
    caughtBy: MODEL,
    breaks: '4 disruption',
  },
  {
    promise: 'a node that becomes Unknown is announced',
    file: 'shared/lifecycle/events/object-events.ts',
    line: 'if (!ready || ready.status === from) return []',
    spoiled: 'if (!ready || from) return []',
    ...WORLDS,
    breaks: '5 news',
  },
  {
    promise: 'the id of an event names one change',
    file: 'shared/lifecycle/events/domain-events.ts',
    line: 'if (after) return { version: after.version, timeUs: after.version }',
    spoiled: 'if (after) return { version: 0, timeUs: after.version }',
    ...WORLDS,
    breaks: '5 news',
  },
  {
    promise: 'DynamoDB refuses a mark when a beat came first',
    file: 'shared/store/dynamo/step-actions.ts',
    line: "ConditionExpression: 'v = :v',",
    spoiled: "ConditionExpression: 'v = :v OR attribute_exists(v)',",
    caughtBy: DYNAMODB,
    named: 'that came first beats the verdict',
  },
  {
    promise: 'DynamoDB refuses a write that was computed from an older version',
    file: 'shared/store/dynamo/step-actions.ts',
    line: "ConditionExpression: '#version = :version AND (attribute_not_exists(#ttl) OR #ttl > :now)',",
    spoiled:
      "ConditionExpression: '#version >= :version AND (attribute_not_exists(#ttl) OR #ttl > :now)',",
    caughtBy: DYNAMODB,
    named: 'is replaced only by who saw it last',
  },
  {
    promise: 'DynamoDB gives a lease to one of two that ask at once',
    file: 'shared/store/dynamo/lease-writes.ts',
    line: "const believedSame = 'v = :believed AND u = :uid'",
    spoiled: "const believedSame = 'v >= :believed AND u = :uid'",
    caughtBy: DYNAMODB,
    named: 'never lets two candidates hold one lease',
  },
  {
    promise: 'a renewal of any version is not applied twice after a lost answer',
    file: 'shared/store/dynamo/leases.ts',
    line: 'const below = renewal.version === undefined ? attempt.below : undefined',
    spoiled: 'const below: number | undefined = undefined',
    caughtBy: LOST_ANSWERS,
    named: 'a beat by patch',
  },
  {
    promise: 'a commit is not called outrun while nothing proves it',
    file: 'shared/store/dynamo/commit.ts',
    line: 'if (proof === undefined) throw writeTimeout()',
    spoiled: 'if (proof === undefined) return undefined',
    caughtBy: LOST_ANSWERS,
    named: 'an update of a node',
  },
  {
    promise: 'a takeover is not called outrun while nothing proves it',
    file: 'shared/store/dynamo/lease-writes.ts',
    line: 'if (before === undefined || before !== writtenBy) throw writeTimeout()',
    spoiled: 'if (before === undefined) throw writeTimeout()',
    caughtBy: LOST_ANSWERS,
    named: 'a takeover of a lock',
  },
  {
    promise: 'a creation is not repeated when it was made and deleted since',
    file: 'shared/store/dynamo/step-actions.ts',
    line: 'if (!mayBeApplied) return put',
    spoiled: 'if (attemptId) return put',
    caughtBy: LOST_ANSWERS,
    named: 'the creation of a node',
  },
]

/**
 * Lines that keep people's pods alive. Each is spoiled in turn, and a quick part of the suite must
 * notice.
 */

export interface Mutant {
  /** What the line promises. */
  readonly promise: string
  readonly file: string
  /** Found exactly once in the file. */
  readonly line: string
  readonly spoiled: string
  /** The test file that must fail, and of it only what is named so. */
  readonly caughtBy: string
  readonly named?: string
}

const MODEL = 'test/simulation/model-check.test.ts'
/** Ten seeds are enough for these. */
const WORLDS = { caughtBy: 'test/simulation/worlds.test.ts', named: 'from 1 on' }

export const mutants: readonly Mutant[] = [
  {
    promise: 'a lease beat is a sign of life',
    file: 'shared/lifecycle/health.ts',
    line: 'return Math.max(node.receivedAtMs ?? 0, beatMs, createdAtMs(node.object), floorMs)',
    spoiled: 'return Math.max(node.receivedAtMs ?? 0, createdAtMs(node.object), floorMs)',
    caughtBy: MODEL,
  },
  {
    promise: 'a mark states the lease it judged: a beat committed first wins',
    file: 'shared/store/memory/commit.ts',
    line: 'return memory.leases.get(keyText(step.lease.key))?.version === step.lease.version',
    spoiled: 'return true',
    caughtBy: MODEL,
  },
  {
    promise: 'a write states the version it was computed from',
    file: 'shared/store/memory/commit.ts',
    line: 'return found?.version === version && found.uid === uid',
    spoiled: 'return found !== undefined',
    caughtBy: MODEL,
  },
  {
    promise: 'a taint costs a token',
    file: 'shared/lifecycle/limiter.ts',
    line: 'return bucket(limiter.rate, Math.max(0, tokens - 1), Math.max(atMs, limiter.refilledAtMs))',
    spoiled: 'return bucket(limiter.rate, tokens, Math.max(atMs, limiter.refilledAtMs))',
    caughtBy: MODEL,
  },
  {
    promise: 'a change of rate mints no token',
    file: 'shared/lifecycle/limiter.ts',
    line: 'const tokens = canGrant(limiter, nowMs) ? CAPACITY : 0',
    spoiled: 'const tokens = CAPACITY',
    caughtBy: MODEL,
  },
  {
    promise: 'taint and token are one transaction',
    file: 'functions/monitor/apply/nodes.ts',
    line: 'const wish: Wish<string> = { of: zone.key, steps: [...record.steps, step] }',
    spoiled: 'const wish: Wish<string> = { of: zone.key, steps: [step] }',
    caughtBy: MODEL,
  },
  {
    promise: 'nobody settles before the last of a blackout is found',
    file: 'shared/lifecycle/node-look.ts',
    line: ': sightedDeadlineMs(pauses, sinceMs, nodeEvictionSettleMs)',
    spoiled: ': sinceMs',
    caughtBy: MODEL,
  },
  {
    promise: 'while all are down lifecycle taints evict nobody',
    file: 'shared/lifecycle/pod-decisions.ts',
    line: "const acting = fleet.disruption === 'none' ? taints : taints?.filter((t) => !isLifecycleTaint(t))",
    spoiled: 'const acting = taints',
    caughtBy: 'test/shared/lifecycle/decide.test.ts',
  },
  {
    promise: 'leaving a disruption starts every clock afresh',
    file: 'shared/lifecycle/disruption.ts',
    line: "return { ...rest, disruption: 'none', floorMs: Math.max(fleet.floorMs, nowMs) }",
    spoiled: "return { ...rest, disruption: 'none', floorMs: fleet.floorMs }",
    caughtBy: 'test/shared/lifecycle/disruption.test.ts',
  },
  {
    promise: 'an eviction states the fleet it was judged in',
    file: 'functions/monitor/apply/pods.ts',
    line: "{ do: 'confirmObject', believed: books.fleet },",
    spoiled: '',
    caughtBy: 'test/functions/monitor/apply/races.test.ts',
  },
  {
    promise: 'an eviction states the zone it was judged in',
    file: 'functions/monitor/apply/pods.ts',
    line: "...(zone ? [{ do: 'confirmObject' as const, believed: zone }] : []),",
    spoiled: '',
    caughtBy: 'test/functions/monitor/apply/races.test.ts',
  },
  {
    promise: 'a taint states the fleet it was granted in',
    file: 'functions/monitor/apply/nodes.ts',
    line: "const shared: Step[] = fleet ? [{ do: 'confirmObject', believed: fleet }] : []",
    spoiled: 'const shared: Step[] = fleet ? [] : []',
    caughtBy: 'test/functions/monitor/apply/races.test.ts',
  },
  {
    promise: 'between ticks nobody goes when nobody is up',
    file: 'shared/lifecycle/decide.ts',
    line: 'if (isAnybodyUp(tick)) {',
    spoiled: 'if (tick) {',
    caughtBy: 'test/shared/lifecycle/decide.test.ts',
  },
  {
    promise: 'while stopped no taint is swapped',
    file: 'shared/lifecycle/node-look.ts',
    line: 'const maySwap = () => nodeStopOf(tick, node.object, zone) === undefined',
    spoiled: 'const maySwap = () => true',
    caughtBy: 'test/shared/lifecycle/decide.test.ts',
  },
  {
    promise: 'what the monitor writes is no sign of life',
    file: 'functions/monitor/apply/applying.ts',
    line: 'const beat = receivedAtMs !== undefined && { receivedAtMs }',
    spoiled: 'const beat = receivedAtMs !== undefined && { receivedAtMs: receivedAtMs + 1 }',
    caughtBy: MODEL,
  },
  {
    promise: 'the blind mark nobody',
    file: 'shared/lifecycle/node-look.ts',
    line: 'const marksNow = marks && !isBlind(tick)',
    spoiled: 'const marksNow = marks',
    caughtBy: 'test/shared/lifecycle/decide.test.ts',
  },
  {
    promise: 'a clock that is far off judges nothing',
    file: 'shared/lifecycle/blindness.ts',
    line: 'if (Math.abs(skewMs) > MAX_SKEW_MS) {',
    spoiled: 'if (Math.abs(skewMs) > 1e12) {',
    caughtBy: 'test/shared/lifecycle/blindness.test.ts',
  },
  {
    promise: 'distress lasts a grace beyond its last word',
    file: 'shared/lifecycle/blindness.ts',
    line: 'distress && nowMs <= distress.lastAtMs + graceMs ? distress.firstAtMs : undefined',
    spoiled: 'distress && nowMs <= distress.lastAtMs ? distress.firstAtMs : undefined',
    ...WORLDS,
  },
  {
    promise: 'a pause of the fleet stops taints and evictions',
    file: 'shared/lifecycle/holds.ts',
    line: "if (openInterval(tick.fleet.stops)) return 'fleetPaused'",
    spoiled: '',
    ...WORLDS,
  },
  {
    promise: 'a lease is taken only when its time has run out',
    file: 'shared/lifecycle/holder.ts',
    line: "if (from && !hasExpired(stored, nowMs)) return { kind: 'held' }",
    spoiled: '',
    ...WORLDS,
  },
  {
    promise: 'every acquisition counts one up',
    file: 'shared/lifecycle/holder.ts',
    line: "return counted('acquire', (stored.leaseTransitions ?? 0) + 1)",
    spoiled: "return counted('acquire', stored.leaseTransitions)",
    ...WORLDS,
  },
  {
    promise: 'a failing canary blinds',
    file: 'functions/monitor/read/signs.ts',
    line: 'session.canaryFailingSinceMs ??= session.canaryOkAtMs ?? nowMs',
    spoiled: '',
    caughtBy: 'test/functions/monitor/stops.test.ts',
  },
  {
    promise: 'silence past the grace is seen',
    file: 'shared/lifecycle/node-look.ts',
    line: 'const isSilent = tick.nowMs > endMs',
    spoiled: 'const isSilent = tick.nowMs > endMs + 60_000',
    ...WORLDS,
  },
  {
    promise: 'a host that is back loses its taints',
    file: 'shared/lifecycle/noexecute.ts',
    line: "if (current === 'True') return hasNotReady || hasUnreachable ? 'reachable' : 'kept'",
    spoiled: "if (current === 'True') return 'kept'",
    ...WORLDS,
  },
]

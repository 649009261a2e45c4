/**
 * How many runs at once may each function have? All functions of an account share one quota. What is
 * set aside for one is also its bound, so that a flood of requests stops neither the monitor, nor
 * the notifier, nor whatever else the account runs.
 */
export interface Concurrency {
  /** Of each api function; 0 sets none aside and leaves it the account's pool. */
  readonly api: number
  readonly monitor: number
  readonly notifier: number
}

interface ConcurrencyNeeds {
  readonly fleetSize: number
  readonly beatSeconds: number
  readonly maxWatches: number
  readonly ingress: 'function-url' | 'http-api'
}

/** What AWS gives an account that has been in use. */
export const USUAL_QUOTA = 1_000
/** What a new account may have. */
export const LEAST_QUOTA = 10
/** AWS refuses to set runs aside when fewer than this would remain for everything else. */
const MUST_REMAIN = 100
/** The running monitor, its successor, and one for a scheduler that fires twice. */
const MONITOR_RUNS = 3
/** Four shards of the stream, four batches of each at once. */
export const BATCHES_PER_SHARD = 4
const NOTIFIER_RUNS = 4 * BATCHES_PER_SHARD
/** For people, controllers and joining hosts, beside the beats. */
const API_RUNS = 100
/** A fleet that comes back after an outage calls several times as often as in quiet times. */
export const BURST_FACTOR = 5
/** Twice what a beat usually takes. */
const BEAT_SECONDS = 0.02

export function planConcurrency(quota: number, needs: ConcurrencyNeeds): Concurrency {
  const monitor = quota - MUST_REMAIN >= MONITOR_RUNS ? MONITOR_RUNS : 0
  const rest = quota - MUST_REMAIN - monitor
  const notifier = rest >= NOTIFIER_RUNS ? NOTIFIER_RUNS : 0
  return { api: apiRuns(quota, needs), monitor, notifier }
}

/** At most half of the account's, and none where that would be too few to serve all callers. */
function apiRuns(quota: number, needs: ConcurrencyNeeds): number {
  const { fleetSize, beatSeconds, maxWatches, ingress } = needs
  const functions = ingress === 'http-api' ? 2 : 1
  const most = Math.floor(quota / 2 / functions)
  const least = API_RUNS + maxWatches
  const beating = Math.ceil((fleetSize / beatSeconds) * BEAT_SECONDS * BURST_FACTOR)
  return most < least ? 0 : Math.min(least + beating, most)
}

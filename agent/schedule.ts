/** When is the next beat, the next report, the next attempt? Kubelet's numbers, as arithmetic. */

const RENEW_FRACTION = 0.25
/** Waits are lengthened by up to this part, so that hosts started together drift apart. */
const JITTER_FACTOR = 0.04
const DEFAULT_LEASE_SECONDS = 40
const DEFAULT_UPDATE_SECONDS = 10
const DEFAULT_REPORT_SECONDS = 300

/** The server may ask for another beat; outside these bounds it is not obeyed to the letter. */
const FASTEST_BEAT_MS = 500
const SLOWEST_BEAT_MS = 720_000
/** Where the service says a beat and no grace: five beats, as 50 s is to 10 s. */
const BEATS_PER_GRACE = 5

export interface HeartbeatOptions {
  readonly nodeLeaseDurationSeconds?: number
  readonly nodeStatusUpdateFrequencySeconds?: number
  readonly nodeStatusReportFrequencySeconds?: number
}

export type Heartbeat = Required<HeartbeatOptions>

/** Setting only the update frequency drags the report frequency along, as in the kubelet. */
export function heartbeat(options: HeartbeatOptions): Heartbeat {
  const {
    nodeLeaseDurationSeconds: lease = 0,
    nodeStatusUpdateFrequencySeconds: update = 0,
    nodeStatusReportFrequencySeconds: report = 0,
  } = options
  if (lease < 0) throw new Error('nodeLeaseDurationSeconds must not be negative')
  return {
    nodeLeaseDurationSeconds: lease || DEFAULT_LEASE_SECONDS,
    nodeStatusUpdateFrequencySeconds: update || DEFAULT_UPDATE_SECONDS,
    nodeStatusReportFrequencySeconds: report || update || DEFAULT_REPORT_SECONDS,
  }
}

export const renewIntervalMs = (leaseDurationSeconds: number): number =>
  leaseDurationSeconds * 1_000 * RENEW_FRACTION

/** Counted from the end of what was done. */
export const jittered = (periodMs: number, random: number): number =>
  periodMs * (1 + JITTER_FACTOR * random)

/** A request that outlives the next round helps nobody. */
export const requestTimeoutMs = (settings: Heartbeat): number =>
  1_000 * Math.min(settings.nodeStatusUpdateFrequencySeconds, settings.nodeLeaseDurationSeconds)

/** Connections that died unnoticed cost one of these each, and there may be two before a new one. */
const SHORTEST_TIMEOUT_MS = 2_000

/** Told to beat faster, a host will be missed sooner, and cannot wait for an answer as long. */
export function beatTimeoutMs(settings: Heartbeat, { intervalMs }: Beat): number {
  const usualMs = requestTimeoutMs(settings)
  if (intervalMs >= renewIntervalMs(settings.nodeLeaseDurationSeconds)) return usualMs
  return Math.min(usualMs, Math.max(intervalMs, SHORTEST_TIMEOUT_MS))
}

/** A wait comes before the first attempt, too: 0.1, 0.2 ... 6.4, 7, 7 s. */
export const registrationWaitMs = (attempt: number): number =>
  Math.min(100 * 2 ** (attempt - 1), 7_000)

export interface Beat {
  readonly intervalMs: number
  readonly leaseDurationSeconds: number
  /** How long the service waits in silence before it gives this host up. */
  readonly graceMs: number
}

/** What the answer to a beat asked for. */
export interface Asked {
  readonly beatSeconds?: number
  readonly graceSeconds?: number
}

/**
 * The beat the server asked for, or our own. A slower one needs a longer lease, or it would run out
 * in between.
 */
export function beatFor(settings: Heartbeat, ownGraceMs: number, asked: Asked = {}): Beat {
  const ownSeconds = settings.nodeLeaseDurationSeconds
  const { beatSeconds: askedSeconds, graceSeconds } = asked
  const toldMs = graceSeconds !== undefined && graceSeconds > 0 ? graceSeconds * 1_000 : undefined
  if (askedSeconds === undefined || !(askedSeconds > 0)) {
    const graceMs = toldMs ?? ownGraceMs
    return { intervalMs: renewIntervalMs(ownSeconds), leaseDurationSeconds: ownSeconds, graceMs }
  }
  const intervalMs = Math.min(Math.max(askedSeconds * 1_000, FASTEST_BEAT_MS), SLOWEST_BEAT_MS)
  const neededSeconds = Math.ceil(intervalMs / 1_000 / RENEW_FRACTION)
  return {
    intervalMs,
    leaseDurationSeconds: Math.max(ownSeconds, neededSeconds),
    graceMs: toldMs ?? intervalMs * BEATS_PER_GRACE,
  }
}

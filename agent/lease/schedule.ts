/** When is the next beat, and how long may it take? The kubelet's numbers, as arithmetic. */

const RENEW_FRACTION = 0.25
/** Waits are longer by up to this share, so that hosts that started together drift apart. */
const JITTER_FACTOR = 0.04
const DEFAULT_LEASE_SECONDS = 40
const DEFAULT_UPDATE_SECONDS = 10
const DEFAULT_REPORT_SECONDS = 300

/** The service may ask for another interval; it is brought within these bounds. */
const FASTEST_BEAT_MS = 500
const SLOWEST_BEAT_MS = 720_000
/** When the service names an interval and no grace: five intervals, as 50 s is to 10 s. */
const BEATS_PER_GRACE = 5

export interface HeartbeatOptions {
  readonly nodeLeaseDurationSeconds?: number
  readonly nodeStatusUpdateFrequencySeconds?: number
  readonly nodeStatusReportFrequencySeconds?: number
}

export type Heartbeat = Required<HeartbeatOptions>

/** Setting only the update frequency sets the report frequency too, as in the kubelet. */
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

export const jittered = (periodMs: number, random: number): number =>
  periodMs * (1 + JITTER_FACTOR * random)

/** A request must not outlive the next beat or the next status update. */
export const requestTimeoutMs = (settings: Heartbeat): number =>
  1_000 * Math.min(settings.nodeStatusUpdateFrequencySeconds, settings.nodeLeaseDurationSeconds)

/** A dead connection costs one timeout, and there may be two of them before a new one is opened. */
const SHORTEST_TIMEOUT_MS = 2_000

/** A host that must beat faster is declared dead sooner, so it waits less for a response. */
export function beatTimeoutMs(settings: Heartbeat, { intervalMs }: RenewalTiming): number {
  const usualMs = requestTimeoutMs(settings)
  if (intervalMs >= renewIntervalMs(settings.nodeLeaseDurationSeconds)) return usualMs
  return Math.min(usualMs, Math.max(intervalMs, SHORTEST_TIMEOUT_MS))
}

export interface RenewalTiming {
  readonly intervalMs: number
  readonly leaseDurationSeconds: number
  /** How long the service hears nothing before it declares this host dead. */
  readonly graceMs: number
}

/** What the response to a beat asked for. */
interface RequestedTiming {
  readonly beatSeconds?: number
  readonly graceSeconds?: number
}

/**
 * The interval the service asked for, or the configured one. A longer interval needs a longer
 * lease, or the lease would run out between two beats.
 */
export function renewalTiming(
  settings: Heartbeat,
  ownGraceMs: number,
  asked: RequestedTiming = {},
): RenewalTiming {
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

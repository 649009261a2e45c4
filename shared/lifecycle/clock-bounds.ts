/**
 * How far apart may clocks be, and how late may a write be seen? Liveness, leases, versions and
 * watches all rest on these few numbers, so each is here once, with its reason.
 */

/**
 * How far a process's clock may be from DynamoDB's. Beyond it the monitor judges nothing and the
 * api stamps by DynamoDB's clock. Two processes may differ by twice as much.
 */
export const MAX_CLOCK_SKEW_MS = 2_000

/**
 * One attempt to write lasts at most this long, and the next one gets a new version: so a version
 * is at most this old when its write lands.
 */
export const WRITE_ATTEMPT_MS = 2_000

/**
 * A reader of the version index looks back this far behind its last read: one attempt, two clocks
 * (the one that stamps and the one that reads) and the usual lag of the index. A change that shows
 * later still is found by the comparison with a full list, every ten minutes.
 */
const lookBackMs = (indexLagMs: number) => WRITE_ATTEMPT_MS + 2 * MAX_CLOCK_SKEW_MS + indexLagMs
export const WATCH_OVERLAP_MS = lookBackMs(5_000)
export const MONITOR_OVERLAP_MS = lookBackMs(4_000)

/**
 * A version further ahead than this was not stamped here: two clocks at their worst, and a second
 * for a list that was quick.
 */
export const MAX_VERSION_LEAD_MS = 2 * MAX_CLOCK_SKEW_MS + 1_000

/** A holder's own clock may run a little slow: its lease expires this long after its duration. */
export const LEASE_EXPIRY_ALLOWANCE_MS = 1_000

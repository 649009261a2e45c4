/**
 * Where functions meet in the table, since they never import each other. One spelling for both
 * sides: a name that drifted would leave the monitor trusting eyes that the api says are shut.
 */

/** Written by the api when it has to refuse beats for its own reasons, read by the monitor. */
export const API_FAILURES_RECORD = 'distress'

export interface ApiFailures {
  readonly firstAtMs: number
  readonly lastAtMs: number
}

/** Written by the api with the first delete of a namespace; the monitor empties what it finds. */
export const TERMINATING_PREFIX = 'terminating/'

export interface TerminatingNamespace {
  readonly namespace: string
  readonly uid: string
  /** Set when the namespace is gone: what was being created in it meanwhile goes too. */
  readonly removedAtMs?: number
}

/** Renewed by the monitor after every tick, so it tells the age of the last one. */
export const monitorLeaseKey = { namespace: 'kube-system', name: 'leasehold-monitor' }

/** In the same namespace: what the monitor renews through the api, as a host would. */
export const CANARY_LEASE = 'leasehold-canary'

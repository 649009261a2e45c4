/**
 * Where functions meet in the table, since they never import each other. One spelling for both
 * sides: a name that drifted would leave the monitor trusting eyes that the api says are shut.
 */

/**
 * Written by the api when it has to refuse beats for its own reasons, read by the monitor. Followed by
 * the id of the process: each has a record of its own, so that thousands do not contend for one.
 */
export const REFUSED_BEATS_PREFIX = 'refused-beats/'

export interface RefusedBeats {
  /** By node name: the last one that this process refused. */
  readonly nodes: Readonly<Record<string, { readonly atMs: number; readonly uid?: string }>>
  /** In this time there was no service at all; written by local mode when it starts on old data. */
  readonly downtime?: { readonly fromMs: number; readonly untilMs: number }
}

/** The longest grace a node can have: no refusal is of use for longer. */
export const REFUSED_BEATS_KEPT_MS = 3_600_000

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

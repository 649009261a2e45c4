/**
 * Where functions meet in the table, since they never import each other. One spelling for both
 * sides: a name that drifted would leave the monitor trusting eyes that the api says are shut.
 */

/** Written by the api when it has to refuse beats for its own reasons, read by the monitor. */
export const DISTRESS_RECORD = 'distress'

export interface Distress {
  readonly firstAtMs: number
  readonly lastAtMs: number
}

/** Renewed by the monitor after every tick, so it tells the age of the last one. */
export const monitorLeaseKey = { namespace: 'kube-system', name: 'leasehold-monitor' }

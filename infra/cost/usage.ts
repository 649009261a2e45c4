/** What a fleet uses in a month, from what tests and benches measure: each number says where. */

export interface FleetPlan {
  readonly nodes: number
  readonly beatSeconds: number
}

export const MONTH_SECONDS = 730 * 3600

/** Units and milliseconds of one thing, as measured. */
export const measured = {
  /** test/contract: a renewal is one write unit and no read. */
  beatWriteUnits: 1,
  /** bench/renewals gives CPU; this is the billed time of a warm 512 MB function around it. */
  beatMs: 8,
  /** A status report: read 0.5, write 3 (item, change index, stream is free). */
  statusReadUnits: 0.5,
  statusWriteUnits: 6,
  statusMs: 15,
  statusSeconds: 300,
  /** A report is a change, and each change wakes the notifier; most have nothing to tell. */
  notifierMs: 10,
  /** Measured: 1,802 read units for a scan of 100,000 leases. */
  scanReadUnitsPerLease: 0.018,
  tickSeconds: 5,
  /** A tick's fixed reads and writes: records, deltas, the monitor's lease, the canary. */
  tickReadUnits: 12,
  tickWriteUnits: 3,
  /** Transitions a node makes in a month: goes silent and comes back four times. */
  transitionsPerNode: 4,
  transitionWriteUnits: 14,
  transitionEvents: 4,
  /** A lease and a node with their index entries. */
  bytesPerNode: 6_000,
  /** A token is renewed every 7 days x 2/3. */
  tokensPerNode: 6.5,
} as const

export interface MonthlyUsage {
  readonly beats: number
  readonly statuses: number
  readonly ticks: number
  readonly transitions: number
  /** At most: changes that come together share one run. */
  readonly notifierRuns: number
  readonly requests: number
}

export function usageOf(plan: FleetPlan): MonthlyUsage {
  const beats = (plan.nodes * MONTH_SECONDS) / plan.beatSeconds
  const statuses = (plan.nodes * MONTH_SECONDS) / measured.statusSeconds
  // With no nodes an invocation ends after one tick, and one starts each minute.
  const ticks = MONTH_SECONDS / (plan.nodes > 0 ? measured.tickSeconds : 60)
  const transitions = plan.nodes * measured.transitionsPerNode
  const notifierRuns = statuses + transitions * measured.transitionEvents
  return {
    beats,
    statuses,
    ticks,
    transitions,
    notifierRuns,
    requests: beats + statuses + ticks + plan.nodes * measured.tokensPerNode,
  }
}

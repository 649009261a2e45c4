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
  /** Headers and body of the answer to our agent's beat; a test measures it. */
  beatAnswerBytes: 200,
  /** What AWS puts around every answer: its own headers, TLS, TCP. */
  aroundAnswerBytes: 350,
  /** A status report: read 0.5, write 3 (item, change index, stream is free). */
  statusReadUnits: 0.5,
  statusWriteUnits: 6,
  statusMs: 15,
  statusSeconds: 300,
  /** The answer to a report is the whole Node. */
  nodeBytes: 3_000,
  /** A report is a change, and each change wakes the notifier; most have nothing to tell. */
  notifierMs: 10,
  /** Measured: 1,802 read units for a scan of 100,000 leases. */
  scanReadUnitsPerLease: 0.018,
  tickSeconds: 5,
  /** A tick's fixed reads: records, deltas. */
  tickReadUnits: 12,
  /** The monitor's lease and the canary; what a tick stores besides, every third time. */
  tickLeaseWriteUnits: 2,
  tickObjectWriteUnits: 1,
  /** A monitor is succeeded after 10.5 to 12.5 minutes, and both run for this long. */
  monitorLifeSeconds: 690,
  handoverSeconds: 20,
  /** When it starts, and again after ten minutes, it lists every node, consistently. */
  listsPerMonitor: 2,
  /** The starts of the other minutes find it ticking and end. */
  idleStartSeconds: 0.2,
  /** Its metrics, and what it has to say. */
  logBytesPerMinute: 2_000,
  /** Of the HTTP API, per request. */
  accessLogBytes: 150,
  /** Transitions a node makes in a month: goes silent and comes back four times. */
  transitionsPerNode: 4,
  /** Marked, 12; tainted and healed, as much each. */
  transitionWriteUnits: 36,
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
  /** What leaves AWS: the answers to hosts. Lists for people and for kubectl are not counted. */
  readonly bytesOut: number
}

export function usageOf(plan: FleetPlan): MonthlyUsage {
  const beats = (plan.nodes * MONTH_SECONDS) / plan.beatSeconds
  const statuses = (plan.nodes * MONTH_SECONDS) / measured.statusSeconds
  // With no nodes an invocation ends after one tick, and one starts each minute.
  const ticks = MONTH_SECONDS / (plan.nodes > 0 ? measured.tickSeconds : 60)
  const transitions = plan.nodes * measured.transitionsPerNode
  const notifierRuns = statuses + transitions * measured.transitionEvents
  const { beatAnswerBytes, nodeBytes, aroundAnswerBytes } = measured
  return {
    beats,
    statuses,
    ticks,
    transitions,
    notifierRuns,
    requests: beats + statuses + ticks + plan.nodes * measured.tokensPerNode,
    bytesOut:
      beats * (beatAnswerBytes + aroundAnswerBytes) + statuses * (nodeBytes + aroundAnswerBytes),
  }
}

/** What the functions measure and the alarms watch: one list, so that they cannot disagree. */

export const METRIC_NAMESPACE = 'Leasehold'

export const metricNames = {
  /** Ticks completed. None for two minutes means that no monitor watches the fleet. */
  ticks: 'Ticks',
  tickMs: 'TickDuration',
  /** Ticks that ran out of time and left the rest to the next. */
  overruns: 'TickOverruns',
  /** 1 while the monitor doubts what it sees and judges no node. */
  blind: 'Blind',
  /** 1 while that is so only because the api refused beats; the canary's get through. */
  blindByRefusals: 'BlindByRefusals',
  /** Renewals of the last minute over what the known nodes owe: 1 is all of them. */
  beatShare: 'BeatShare',
  /** From a deadline to the written Unknown. */
  detectionLagMs: 'DetectionLag',
  outrun: 'Outrun',
  /** Records that could not be read and were left out. */
  poisoned: 'Poisoned',
  /** Events the notifier gave up on and sent to the dead-letter queue. */
  undelivered: 'Undelivered',
} as const

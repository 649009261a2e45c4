/**
 * Everything the monitor needs from outside, so that it runs the same in Lambda, locally, in tests.
 */
import type { CloudInstances } from '../../shared/lifecycle/cloud.ts'
import type { Settings } from '../../shared/lifecycle/settings.ts'
import type { Store } from '../../shared/store/ports.ts'
import type { EmfSink } from './metrics/emf.ts'

export interface MonitorDeps {
  readonly store: Store
  readonly settings: Settings
  /** Milliseconds since 1970. */
  readonly clock: () => number
  /** Ends early, without complaint, when the signal says so. */
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>
  /** In [0, 1). */
  readonly random: () => number
  readonly uuid: () => string
  readonly log: (entry: MonitorLog) => void
  /** Absent: nobody checks whether beats can get through, only distress tells. */
  readonly canary?: Canary
  /** Absent: nobody is asked whether a silent machine still exists. */
  readonly instances?: CloudInstances
  /** Absent: no lines for CloudWatch. */
  readonly emf?: EmfSink
}

/** Renews a lease the way a host would; rejects when a host's beat would not have got through. */
export type Canary = (nowMs: number) => Promise<void>

export interface MonitorLog {
  readonly level: 'error' | 'warn' | 'info'
  readonly message: string
  readonly error?: unknown
  readonly [detail: string]: unknown
}

/**
 * Everything the monitor needs from outside, so that it runs the same in Lambda, locally, in tests.
 * A feature that needs more declares it in its own file.
 */
import type { Settings } from '../../shared/lifecycle/settings.ts'
import type { Store } from '../../shared/store/ports.ts'

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
  /** Absent: only failures that the api reports tell whether beats can get through. */
  readonly canary?: Canary
  /** Absent: no lines for CloudWatch. */
  readonly emf?: EmfSink
}

/** Renews a lease the way a host does; rejects when a host's renewal would have failed. */
export type Canary = (nowMs: number) => Promise<void>

export interface MonitorLog {
  readonly level: 'error' | 'warn' | 'info'
  readonly message: string
  readonly error?: unknown
  readonly [detail: string]: unknown
}

/** Where lines in CloudWatch's embedded metric format go. */
export interface EmfSink {
  readonly stage: string
  readonly write: (line: string) => void
}

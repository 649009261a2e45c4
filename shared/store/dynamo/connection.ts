/** What every part of the DynamoDB store needs: calls, tables, clock and retry policy. */
import type { Stamp } from '../clock.ts'
import type { TableNames } from '../tables.ts'
import type { Calls } from './calls.ts'
import type { RetryPolicy } from './retry.ts'

export interface Connection {
  readonly calls: Calls
  readonly tables: TableNames
  readonly retryPolicy: RetryPolicy
  /** Our clock, corrected by the clock guard. */
  readonly nowMs: () => number
  readonly stamp: Stamp
  /** Called with the id of every item that could not be decoded. */
  readonly poisoned: (id: string) => void
}

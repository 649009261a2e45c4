/**
 * What every part of the DynamoDB store needs: the calls, the tables, the clock, and how to try
 * again.
 */
import type { Stamp } from '../stamps.ts'
import type { TableNames } from '../tables.ts'
import type { Calls } from './calls.ts'
import { type Patience, persist } from './persistence.ts'

export interface Connection {
  readonly calls: Calls
  readonly tables: TableNames
  readonly patience: Patience
  /** Our clock, put right by the clock guard. */
  readonly nowMs: () => number
  readonly stamp: Stamp
  /** Told of every item that could not be read. */
  readonly poisoned: (id: string) => void
}

/** For reads, and for writes that state no version: the same request may be sent again as it is. */
export const steadily = <T>(connection: Connection, call: () => Promise<T>): Promise<T> =>
  persist(call, connection.patience)

/**
 * A name for one write, kept in what it writes. A write that timed out may have happened: then the
 * next attempt fails its condition and finds this name, and so learns that it has succeeded
 * already.
 */
export function requestId({ patience }: Connection): string {
  const part = () => Math.floor(patience.random() * 2 ** 48).toString(36)
  return `${part()}${part()}`
}

interface ConditionFailed {
  readonly name?: string
  readonly Item?: unknown
}

export const isConditionFailed = (error: unknown): boolean =>
  (error as ConditionFailed).name === 'ConditionalCheckFailedException'

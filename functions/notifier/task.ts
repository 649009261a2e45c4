/** One record of the stream on its way: what of it is still to be told, and what will never be. */
import type { DomainEvent } from '../../shared/lifecycle/announce/domain-event.ts'
import { domainEvents } from '../../shared/lifecycle/domain-events.ts'
import {
  isCandidate,
  itemIdOf,
  type StreamRecord,
  transitionOf,
  writtenAtMs,
} from '../../shared/store/stream-record.ts'
import type { Letter } from './letter.ts'

export interface Task {
  readonly sequence: string
  /** Records of one item are told in their order. */
  readonly item: string
  /** 0 when the stream did not say: then a first failure is enough to give up. */
  readonly writtenAtMs: number
  pending: readonly DomainEvent[]
  /** Of the pending, those not yet in the diary. */
  unwritten: readonly DomainEvent[]
  /** To be parked. */
  readonly letters: Letter[]
  tries: number
  /** What was last said against it. */
  why: string
}

/** Nothing for a record that is no news. */
export function readTask(record: StreamRecord, stage: string): readonly Task[] {
  if (!isCandidate(record)) return []
  const { pending, letters } = contentOf(record, stage)
  if (pending.length + letters.length === 0) return []
  return [
    {
      sequence: record.dynamodb?.SequenceNumber ?? '',
      item: itemIdOf(record),
      writtenAtMs: writtenAtMs(record) ?? 0,
      pending,
      unwritten: pending,
      letters: [...letters],
      tries: 0,
      why: 'it was never tried',
    },
  ]
}

/** Also how a parked record is read again. */
export function contentOf(
  record: StreamRecord,
  stage: string,
): { readonly pending: readonly DomainEvent[]; readonly letters: readonly Letter[] } {
  try {
    return { pending: domainEvents(transitionOf(record), stage), letters: [] }
  } catch (error) {
    // Whatever a pure reading stumbles over it stumbles over every time: the record is poisoned.
    return { pending: [], letters: [{ why: String(error), record }] }
  }
}

export const isDone = ({ pending, letters }: Task) => pending.length + letters.length === 0

/** The first task of each item that is not yet told. */
export function frontOf(tasks: readonly Task[]): readonly Task[] {
  const first = new Map<string, Task>()
  for (const task of tasks)
    if (task.pending.length > 0 && !first.has(task.item)) first.set(task.item, task)
  return [...first.values()]
}

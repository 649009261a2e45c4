/** One stream record on its way: what of it is still to be published, and what never can be. */
import { coreEvents, type TimedEvent } from '../../shared/lifecycle/events/core-events.ts'
import type { DomainEvent } from '../../shared/lifecycle/events/domain-event.ts'
import { domainEvents } from '../../shared/lifecycle/events/domain-events.ts'
import {
  isCandidate,
  itemIdOf,
  type StreamRecord,
  streamRecordTimeMs,
  transitionOf,
} from '../../shared/store/stream-record.ts'
import type { UndeliveredEvent } from './undelivered-event.ts'

export interface Task {
  readonly sequence: string
  /** Records of one item are published in their order. */
  readonly item: string
  /** 0 when the stream did not say: then a first failure is enough to give up. */
  readonly writtenAtMs: number
  pending: readonly DomainEvent[]
  /** Core/v1 Events that are not yet written. */
  unrecorded: readonly TimedEvent[]
  /** To be sent to the dead-letter queue. */
  readonly undelivered: UndeliveredEvent[]
  tries: number
  /** Why it failed last. */
  why: string
}

/** Nothing for a record of which no event follows. */
export function readTask(record: StreamRecord, stage: string): readonly Task[] {
  if (!isCandidate(record)) return []
  const { pending, unrecorded, undelivered } = contentOf(record, stage)
  if (pending.length + unrecorded.length + undelivered.length === 0) return []
  return [
    {
      sequence: record.dynamodb?.SequenceNumber ?? '',
      item: itemIdOf(record),
      writtenAtMs: streamRecordTimeMs(record) ?? 0,
      pending,
      unrecorded,
      undelivered: [...undelivered],
      tries: 0,
      why: 'it was never tried',
    },
  ]
}

type Content = Readonly<Pick<Task, 'pending' | 'unrecorded' | 'undelivered'>>

/** Also how `replay` reads a record from the dead-letter queue. */
export function contentOf(record: StreamRecord, stage: string): Content {
  try {
    const transition = transitionOf(record)
    const pending = domainEvents(transition, stage)
    return { pending, unrecorded: coreEvents(transition, pending), undelivered: [] }
  } catch (error) {
    // A pure function fails every time it is given the same record: the record is poisoned.
    return { pending: [], unrecorded: [], undelivered: [{ why: String(error), record }] }
  }
}

export const isOpen = ({ pending, unrecorded }: Task) => pending.length + unrecorded.length > 0
export const isDone = (task: Task) => !isOpen(task) && task.undelivered.length === 0

/** The first task of each item that is not yet told. */
export function frontOf(tasks: readonly Task[]): readonly Task[] {
  const first = new Map<string, Task>()
  for (const task of tasks) if (isOpen(task) && !first.has(task.item)) first.set(task.item, task)
  return [...first.values()]
}

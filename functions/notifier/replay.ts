/**
 * What waits in the dead-letter queue, delivered again: after the bus was mended, or a new version can
 * read it.
 */
import type { TimedEvent } from '../../shared/lifecycle/events/core-events.ts'
import type { DomainEvent } from '../../shared/lifecycle/events/domain-event.ts'
import type { EventRecorder } from '../../shared/store/event-recorder.ts'
import type { EventBus } from './bus.ts'
import type { DeadLetterQueue, ReceivedMessage } from './dead-letter-queue.ts'
import { contentOf } from './task.ts'

interface ReplayDeps {
  readonly stage: string
  readonly queue: Pick<DeadLetterQueue, 'receive' | 'delete'>
  readonly bus: EventBus
  readonly recorder: EventRecorder
  /** Messages at most. Default: until the queue is empty. */
  readonly most?: number
}

export interface Replayed {
  readonly delivered: number
  /** Still in the queue, each with the reason. */
  readonly left: readonly { readonly id: string; readonly why: string }[]
}

/** Stops when the queue is empty or shows what it has shown before, so it ends whatever happens. */
export async function replayUndelivered(deps: ReplayDeps): Promise<Replayed> {
  const { most = Number.POSITIVE_INFINITY } = deps
  const seen = new Set<string>()
  const left: { readonly id: string; readonly why: string }[] = []
  while (seen.size < most) {
    const received = (await deps.queue.receive()).filter(({ id }) => !seen.has(id))
    if (received.length === 0) break
    for (const message of received.slice(0, most - seen.size)) {
      seen.add(message.id)
      const why = await replayOne(deps, message)
      if (why !== undefined) left.push({ id: message.id, why })
    }
  }
  return { delivered: seen.size - left.length, left }
}

/** Deleted only when everything in it is published; a repeat is better than a gap. */
async function replayOne(deps: ReplayDeps, message: ReceivedMessage): Promise<string | undefined> {
  const { events, unrecorded, why } = eventsIn(message, deps.stage)
  if (why !== undefined) return why
  for (const event of unrecorded) await deps.recorder.record(event)
  await deps.recorder.flush()
  const results = await deps.bus.publish(events)
  const failed = results.find((result) => result.kind !== 'delivered')
  if (failed) return failed.why
  await deps.queue.delete(message)
  return undefined
}

function eventsIn({ content }: ReceivedMessage, stage: string): Readonly<Replay> {
  if (!content) return { events: [], unrecorded: [], why: 'not a letter of the notifier' }
  // Its Events for people were written before the bus was asked.
  if ('event' in content) return { events: [content.event], unrecorded: [] }
  const { pending: events, unrecorded, undelivered } = contentOf(content.record, stage)
  return { events, unrecorded, ...(undelivered[0] && { why: undelivered[0].why }) }
}

interface Replay {
  readonly events: readonly DomainEvent[]
  readonly unrecorded: readonly TimedEvent[]
  readonly why?: string
}

/**
 * What waits in the dead-letter queue, told again: after the bus was mended, or a new version can
 * read it.
 */
import type { DomainEvent } from '../../shared/lifecycle/announce/domain-event.ts'
import type { Bus } from './bus.ts'
import type { Diary } from './diary.ts'
import type { LetterQueue, TakenLetter } from './letter-queue.ts'
import { contentOf } from './task.ts'

export interface ReplayDeps {
  readonly stage: string
  readonly letters: Pick<LetterQueue, 'take' | 'drop'>
  readonly bus: Bus
  readonly diary: Diary
  /** Letters at most. Default: until the queue is empty. */
  readonly most?: number
}

export interface Replayed {
  readonly delivered: number
  /** Still in the queue, each with what stands against it. */
  readonly left: readonly { readonly id: string; readonly why: string }[]
}

/** Stops when the queue is empty or shows what it has shown before, so it ends whatever happens. */
export async function replayUndelivered(deps: ReplayDeps): Promise<Replayed> {
  const { most = Number.POSITIVE_INFINITY } = deps
  const seen = new Set<string>()
  const left: { readonly id: string; readonly why: string }[] = []
  while (seen.size < most) {
    const taken = (await deps.letters.take()).filter(({ id }) => !seen.has(id))
    if (taken.length === 0) break
    for (const letter of taken.slice(0, most - seen.size)) {
      seen.add(letter.id)
      const why = await replayOne(deps, letter)
      if (why !== undefined) left.push({ id: letter.id, why })
    }
  }
  return { delivered: seen.size - left.length, left }
}

/** Dropped only when everything in it is told; a repeat is better than a gap. */
async function replayOne(deps: ReplayDeps, taken: TakenLetter): Promise<string | undefined> {
  const { events, why } = eventsIn(taken, deps.stage)
  if (why !== undefined) return why
  for (const event of events) await deps.diary.write(event)
  const verdicts = await deps.bus.publish(events)
  const failed = verdicts.find((verdict) => verdict.kind !== 'delivered')
  if (failed) return failed.why
  await deps.letters.drop(taken)
  return undefined
}

function eventsIn(
  { letter }: TakenLetter,
  stage: string,
): { readonly events: readonly DomainEvent[]; readonly why?: string } {
  if (!letter) return { events: [], why: 'not a letter of the notifier' }
  if ('event' in letter) return { events: [letter.event] }
  const { pending, letters } = contentOf(letter.record, stage)
  return { events: pending, ...(letters[0] && { why: letters[0].why }) }
}

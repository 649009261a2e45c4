/**
 * The table's stream in, the bus out. Every event is published at least once; what fails holds back
 * later records of the same item, and only those; what can never be published goes whole to the
 * dead-letter queue.
 *
 * The stream is the only memory: whatever is not finished is named in the answer and comes back.
 */

import type { DomainEvent } from '../../shared/lifecycle/events/domain-event.ts'
import type { EventRecorder } from '../../shared/store/event-recorder.ts'
import type { StreamRecord } from '../../shared/store/stream-record.ts'
import type { EventBus, PublishResult } from './bus.ts'
import { frontOf, isDone, isOpen, readTask, type Task } from './task.ts'
import type { DeadLetterSink } from './undelivered-event.ts'

export interface NotifierDeps {
  readonly stage: string
  readonly bus: EventBus
  readonly recorder: EventRecorder
  readonly deadLetters: DeadLetterSink
  readonly clock: () => number
  readonly random: () => number
  readonly sleep: (ms: number) => Promise<void>
  /** How old a record that fails may grow before it goes to the dead-letter queue. Default 15 minutes. */
  readonly giveUpAfterMs?: number
  /** Called with how many events of a batch went to the dead-letter queue, when any did. */
  readonly onUndelivered?: (count: number) => void
  /** Called with where the stream is held up, and why. */
  readonly onHeldUp?: (held: { readonly item: string; readonly why: string }) => void
}

interface Batch {
  readonly Records: readonly StreamRecord[]
}

/** The stream goes on at the first of these; an empty list lets go of the whole batch. */
interface Answer {
  readonly batchItemFailures: { readonly itemIdentifier: string }[]
}

export type StreamHandler = (batch: Batch) => Promise<Answer>

const GIVE_UP_AFTER_MS = 15 * 60 * 1_000
/** After this a batch is left to its next run; well within the function's minute. */
const BUDGET_MS = 30_000
const TRIES = 5
const FIRST_PAUSE_MS = 50
/** Writes in flight together. */
const WIDTH = 10

export function createNotifier(deps: NotifierDeps): StreamHandler {
  return async ({ Records }) => {
    const tasks = Records.flatMap((record) => readTask(record, deps.stage))
    await deliver(deps, tasks)
    await flushCombined(deps)
    giveUp(deps, tasks)
    await sendUndelivered(deps, tasks)
    const first = tasks.find((task) => !isDone(task))
    if (!first) return { batchItemFailures: [] }
    deps.onHeldUp?.({ item: first.item, why: first.why })
    return { batchItemFailures: [{ itemIdentifier: first.sequence }] }
  }
}

/**
 * In rounds: the first unfinished record of every item, all at once; what fails tries again alone.
 */
async function deliver(deps: NotifierDeps, tasks: readonly Task[]): Promise<void> {
  const untilMs = deps.clock() + BUDGET_MS
  while (deps.clock() < untilMs) {
    const front = frontOf(tasks).filter((task) => task.tries < TRIES)
    if (front.length === 0) return
    await deliverRound(deps, front, untilMs)
    const failed = front.filter(isOpen)
    for (const task of failed) task.tries += 1
    const tries = Math.max(0, ...failed.map((task) => task.tries))
    if (tries > 0 && tries < TRIES) await deps.sleep(pauseMs(tries, deps.random))
  }
}

/** From half to the whole of 50, 100, 200, 400 ms. */
const pauseMs = (tries: number, random: () => number) =>
  FIRST_PAUSE_MS * 2 ** (tries - 1) * (0.5 + random() / 2)

async function deliverRound(
  deps: NotifierDeps,
  front: readonly Task[],
  untilMs: number,
): Promise<void> {
  // Events are recorded before they are published: recording twice changes nothing, while the bus
  // would deliver a repeat.
  await each(front, async (task) => {
    // A table that is down takes seconds to fail, for each task.
    if (deps.clock() < untilMs) await recordEvents(deps.recorder, task)
  })
  const written = front.filter(({ unrecorded }) => unrecorded.length === 0)
  const events = written.flatMap(({ pending }) => pending)
  if (events.length === 0) return
  const results = await deps.bus.publish(events)
  const resultOf = new Map(events.map((event, at) => [event, results[at]!]))
  for (const task of written) noteResults(task, resultOf)
}

function noteResults(task: Task, resultOf: ReadonlyMap<DomainEvent, PublishResult>): void {
  const asked = task.pending
  task.pending = asked.filter((event) => resultOf.get(event)!.kind === 'again')
  for (const event of asked) {
    const result = resultOf.get(event)!
    if (result.kind === 'refused') task.undelivered.push({ why: result.why, event })
    if (result.kind === 'again') task.why = result.why
  }
}

async function recordEvents(recorder: EventRecorder, task: Task): Promise<void> {
  try {
    for (const event of task.unrecorded) {
      await recorder.record(event)
      task.unrecorded = task.unrecorded.filter((other) => other !== event)
    }
  } catch (error) {
    // The store has tried for seconds. The record stays unfinished, so nothing is lost.
    task.why = String(error)
  }
}

/** A summary for people: when it cannot be written now, the next batch tries again. */
async function flushCombined({ recorder, onHeldUp }: NotifierDeps): Promise<void> {
  try {
    await recorder.flush()
  } catch (error) {
    onHeldUp?.({ item: 'combined Events', why: String(error) })
  }
}

/** What was tried and is old is given up: later records of the same item wait behind it. */
function giveUp(deps: NotifierDeps, tasks: readonly Task[]): void {
  const oldestMs = deps.clock() - (deps.giveUpAfterMs ?? GIVE_UP_AFTER_MS)
  for (const task of frontOf(tasks)) {
    if (task.tries === 0 || task.writtenAtMs > oldestMs) continue
    task.undelivered.push(...task.pending.map((event) => ({ why: task.why, event })))
    task.pending = []
    // What the bus was to hear is kept whole; an Event for people that is this late is not.
    task.unrecorded = []
  }
}

async function sendUndelivered(deps: NotifierDeps, tasks: readonly Task[]): Promise<void> {
  let sent = 0
  await each(tasks, async (task) => {
    try {
      for (const undelivered of [...task.undelivered]) {
        await deps.deadLetters.send(undelivered)
        task.undelivered.shift()
        sent += 1
      }
    } catch (error) {
      // Neither the bus nor the queue has it, so the stream keeps it.
      task.why = String(error)
    }
  })
  if (sent > 0) deps.onUndelivered?.(sent)
}

async function each(tasks: readonly Task[], work: (task: Task) => Promise<void>): Promise<void> {
  const queue = [...tasks]
  const worker = async () => {
    for (let task = queue.shift(); task; task = queue.shift()) await work(task)
  }
  await Promise.all(Array.from({ length: Math.min(WIDTH, queue.length) }, worker))
}

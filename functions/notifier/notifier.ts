/**
 * The table's stream in, the bus out. Everything is told at least once; what fails holds back later
 * records of the same item, and only those; what can never be told is kept whole elsewhere.
 *
 * The stream is the only memory: whatever is not finished is named in the answer and comes back.
 */
import type { DomainEvent } from '../../shared/lifecycle/announce/domain-event.ts'
import type { StreamRecord } from '../../shared/store/stream-record.ts'
import type { Bus, Verdict } from './bus.ts'
import type { Diary } from './diary.ts'
import type { DeadLetters } from './letter.ts'
import { frontOf, isDone, readTask, type Task } from './task.ts'

export interface NotifierDeps {
  readonly stage: string
  readonly bus: Bus
  readonly diary: Diary
  readonly deadLetters: DeadLetters
  readonly clock: () => number
  readonly random: () => number
  readonly sleep: (ms: number) => Promise<void>
  /** How old a record that fails may grow before it is parked. Default 15 minutes. */
  readonly giveUpAfterMs?: number
  /** Told how many letters were parked in a batch, when any were. */
  readonly onUndelivered?: (count: number) => void
  /** Told where the stream is held up, and why. */
  readonly onHeldUp?: (held: { readonly item: string; readonly why: string }) => void
}

export interface Batch {
  readonly Records: readonly StreamRecord[]
}

/** The stream goes on at the first of these; an empty list lets go of the whole batch. */
export interface Answer {
  readonly batchItemFailures: { readonly itemIdentifier: string }[]
}

export type Notifier = (batch: Batch) => Promise<Answer>

const GIVE_UP_AFTER_MS = 15 * 60 * 1_000
/** After this a batch is left to its next run; well within the function's minute. */
const BUDGET_MS = 30_000
const TRIES = 5
const FIRST_PAUSE_MS = 50
/** Writes in flight together. */
const WIDTH = 10

export function createNotifier(deps: NotifierDeps): Notifier {
  return async ({ Records }) => {
    const tasks = Records.flatMap((record) => readTask(record, deps.stage))
    await deliver(deps, tasks)
    giveUp(deps, tasks)
    await park(deps, tasks)
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
    const failed = front.filter(({ pending }) => pending.length > 0)
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
  // The diary first: writing there twice changes nothing, while the bus would tell a repeat.
  await each(front, async (task) => {
    // A table that is down takes seconds to say so, and says it to each.
    if (deps.clock() < untilMs) await writeDiary(deps.diary, task)
  })
  const written = front.filter(({ unwritten }) => unwritten.length === 0)
  const events = written.flatMap(({ pending }) => pending)
  if (events.length === 0) return
  const verdicts = await deps.bus.publish(events)
  const verdictOf = new Map(events.map((event, at) => [event, verdicts[at]!]))
  for (const task of written) settle(task, verdictOf)
}

function settle(task: Task, verdictOf: ReadonlyMap<DomainEvent, Verdict>): void {
  const asked = task.pending
  task.pending = asked.filter((event) => verdictOf.get(event)!.kind === 'again')
  for (const event of asked) {
    const verdict = verdictOf.get(event)!
    if (verdict.kind === 'refused') task.letters.push({ why: verdict.why, event })
    if (verdict.kind === 'again') task.why = verdict.why
  }
}

async function writeDiary(diary: Diary, task: Task): Promise<void> {
  try {
    for (const event of task.unwritten) {
      await diary.write(event)
      task.unwritten = task.unwritten.filter((other) => other !== event)
    }
  } catch (error) {
    // The store has tried for seconds. The record stays unfinished, so nothing is lost.
    task.why = String(error)
  }
}

/** What was tried and is old will not wait any longer: others stand behind it. */
function giveUp(deps: NotifierDeps, tasks: readonly Task[]): void {
  const bornBeforeMs = deps.clock() - (deps.giveUpAfterMs ?? GIVE_UP_AFTER_MS)
  for (const task of frontOf(tasks)) {
    if (task.tries === 0 || task.writtenAtMs > bornBeforeMs) continue
    task.letters.push(...task.pending.map((event) => ({ why: task.why, event })))
    task.pending = []
  }
}

async function park(deps: NotifierDeps, tasks: readonly Task[]): Promise<void> {
  let parked = 0
  await each(tasks, async (task) => {
    try {
      for (const letter of [...task.letters]) {
        await deps.deadLetters.park(letter)
        task.letters.shift()
        parked += 1
      }
    } catch (error) {
      // Neither the bus nor the queue has it, so the stream keeps it.
      task.why = String(error)
    }
  })
  if (parked > 0) deps.onUndelivered?.(parked)
}

async function each(tasks: readonly Task[], work: (task: Task) => Promise<void>): Promise<void> {
  const queue = [...tasks]
  const worker = async () => {
    for (let task = queue.shift(); task; task = queue.shift()) await work(task)
  }
  await Promise.all(Array.from({ length: Math.min(WIDTH, queue.length) }, worker))
}

/**
 * The user's own conditions: every executable in a directory is a check. Exit 0 = no problem
 * (False), 1 = problem (True), anything else, or no answer in time = Unknown. The first line it
 * prints is the message.
 */
import { access, constants, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { type ChildResult, runChild } from '../child-process.ts'
import type { AgentClock } from '../clock.ts'
import type { Log } from '../log.ts'
import type { ConditionUpdate } from '../status/setters/conditions.ts'

const EVERY_MS = 60_000
const LIMIT_MS = 20_000
const AT_ONCE = 2
const MOST_CHECKS = 32
const MOST_MESSAGE = 256

/** Set by the service or by the agent itself, so that no check may set them. */
const RESERVED = new Set([
  'Ready',
  'MemoryPressure',
  'DiskPressure',
  'PIDPressure',
  'NetworkUnavailable',
])

interface ChecksOptions {
  readonly directory: string
  readonly clock: AgentClock
  readonly log: Log
  readonly signal: AbortSignal
  readonly everyMs?: number
  readonly limitMs?: number
}

/** Files of checks that ignored SIGKILL: another run of them would be stuck as well. */
type Stuck = Set<string>

interface Checks {
  readonly done: Promise<void>
  /** Undefined until all were run once. */
  conditions(): readonly ConditionUpdate[] | undefined
}

export function runChecks(options: ChecksOptions): Checks {
  const { clock, signal, everyMs = EVERY_MS } = options
  let results: readonly ConditionUpdate[] | undefined
  const stuck: Stuck = new Set()
  const loop = async () => {
    while (!signal.aborted) {
      results = await checkAll(options, stuck)
      await clock.wait(everyMs, signal)
    }
  }
  return { done: loop(), conditions: () => results }
}

/** `smart-disk.sh` sets the condition SmartDisk; undefined where the name cannot be one. */
export function conditionType(file: string): string | undefined {
  const words = file.replace(/\.[a-z]+$/, '').split(/[-_.]+/)
  const type = words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('')
  return /^[A-Za-z][A-Za-z0-9]{0,62}$/.test(type) && !RESERVED.has(type) ? type : undefined
}

export async function checkAll(
  options: ChecksOptions,
  stuck: Stuck = new Set(),
): Promise<readonly ConditionUpdate[]> {
  const { directory, log, limitMs = LIMIT_MS } = options
  const files = await readdir(directory).catch((error: Error) => {
    log.warn(`cannot read the checks in ${directory}: ${error.message}`)
    return []
  })
  const runnable = await filterAsync(files.sort(), (file) => isRunnable(join(directory, file)))
  const queue = runnable.slice(0, MOST_CHECKS)
  if (queue.length < runnable.length) log.warn(`only the first ${MOST_CHECKS} checks are run`)

  const results: ConditionUpdate[] = []
  const worker = async () => {
    for (let file = queue.shift(); file !== undefined; file = queue.shift()) {
      const type = conditionType(file)
      if (type)
        results.push(toCondition(type, await runOnce(join(directory, file), limitMs, stuck)))
      else log.warn(`${file} is no name for a check: use letters, digits and dashes`)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker))
  return results.sort((a, b) => (a.type < b.type ? -1 : 1))
}

async function runOnce(path: string, limitMs: number, stuck: Stuck): Promise<ChildResult> {
  if (stuck.has(path)) return { output: '', problem: 'an earlier run has not ended' }
  const result = await runChild(path, { limitMs })
  if (result.lingers) stuck.add(path)
  void result.lingers?.then(() => stuck.delete(path))
  return result
}

const STATUS_BY_CODE = [
  { status: 'False', suffix: 'Ok' },
  { status: 'True', suffix: 'Problem' },
] as const
const NO_ANSWER = { status: 'Unknown', suffix: 'Unknown' } as const

export function toCondition(type: string, { code, output, problem }: ChildResult): ConditionUpdate {
  const { status, suffix } = STATUS_BY_CODE[code ?? -1] ?? NO_ANSWER
  const firstLine = printable(output.split('\n')[0] ?? '')
  const message = problem ?? (firstLine || `exit code ${code ?? 'none'}`)
  return { type, status, reason: `${type}${suffix}`, message }
}

/** By its reason, so that one of a check removed while the agent was down is recognised as well. */
export const isOfCheck = ({ type, reason }: Pick<ConditionUpdate, 'type' | 'reason'>): boolean =>
  !RESERVED.has(type) &&
  [...STATUS_BY_CODE, NO_ANSWER].some(({ suffix }) => reason === `${type}${suffix}`)

const printable = (text: string) =>
  text
    .replaceAll(/\p{Cc}/gu, ' ')
    .trim()
    .slice(0, MOST_MESSAGE)
    .toWellFormed()

const isRunnable = (path: string) =>
  access(path, constants.X_OK).then(
    () => true,
    () => false,
  )

async function filterAsync<T>(items: readonly T[], keep: (item: T) => Promise<boolean>) {
  const kept = await Promise.all(items.map(keep))
  return items.filter((_, index) => kept[index])
}

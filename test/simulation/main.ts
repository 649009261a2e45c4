/**
 * `npm run simulate -- --seed N --hours H --nodes M --zones Z [--seeds K] [--jobs J]`: worlds one
 * after another, each from a seed, on as many threads as there are cores. The same seed is the same
 * world to the last write; a broken invariant is printed with the command that replays it, and ends
 * with code 1.
 */
import { availableParallelism } from 'node:os'
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'
import {
  type FlagValues,
  flag,
  stringFlag,
  UsageError,
  wholeFlag,
} from '../../shared/flags/flag-set.ts'
import { type Program, runProgram, terminalOf } from '../../shared/flags/program.ts'
import { type Outcome, type Plan, simulate } from './world.ts'

const FLAGS = {
  seed: flag('N', 'what the world is drawn from', '1'),
  seeds: flag('N', 'how many worlds, each from the next seed', '1'),
  hours: flag('N', 'how long each lives', '1'),
  nodes: flag('N', 'hosts in each', '50'),
  zones: flag('N', 'zones they are spread over', '3'),
  jobs: flag('N', 'worlds at a time', String(availableParallelism())),
}
const MOST = 2 ** 31

type Numbers = Readonly<Record<keyof typeof FLAGS, number>>

const wholeNumber = (name: string, text: string) =>
  wholeFlag(name, text, MOST, name === 'seed' ? 0 : 1)

function hoursOf(text: string): number {
  if (Number(text) > 0 && Number(text) < MOST) return Number(text)
  throw new UsageError(`--hours ${text}: give a number above 0, such as 0.5`)
}

function readNumbers(values: FlagValues): Numbers {
  const entries = Object.entries(FLAGS).map(([name, { default: usual = '' }]) => {
    const text = stringFlag(values[name]) ?? usual
    return [name, name === 'hours' ? hoursOf(text) : wholeNumber(name, text)] as const
  })
  return Object.fromEntries(entries) as Numbers
}

const replayOf = ({ seed }: Outcome, { hours, nodes, zones }: Numbers) =>
  `npm run simulate -- --seed ${seed} --hours ${hours} --nodes ${nodes} --zones ${zones}`

// ---- the main thread hands out seeds and counts -------------------------------------------------

async function direct(numbers: Numbers): Promise<number> {
  const { seed, seeds, jobs } = numbers
  const startedAtMs = performance.now()
  const waiting = Array.from({ length: seeds }, (_, at) => seed + at)
  const done: Outcome[] = []
  const onOutcome = (outcome: Outcome) => {
    done.push(outcome)
    if (outcome.broken) tellBroken(outcome, numbers)
    progress(done, seeds, startedAtMs)
  }
  const workers = Math.min(jobs, seeds)
  await Promise.all(Array.from({ length: workers }, () => work(numbers, waiting, onOutcome)))
  summarise(done, startedAtMs)
  return done.some(({ broken }) => broken) ? 1 : 0
}

function work(
  { hours, nodes, zones }: Numbers,
  waiting: number[],
  onOutcome: (outcome: Outcome) => void,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL(import.meta.url), { workerData: 'simulate' })
    const next = () => {
      const seed = waiting.shift()
      if (seed === undefined) void worker.terminate().then(() => resolve())
      else worker.postMessage({ seed, hours, nodes, zones } satisfies Plan)
    }
    worker.on('error', reject)
    worker.on('message', (outcome: Outcome) => {
      onOutcome(outcome)
      next()
    })
    next()
  })
}

function tellBroken(outcome: Outcome, numbers: Numbers): void {
  const { why, atMs } = outcome.broken!
  console.log(`\nseed ${outcome.seed}: ${why} (after ${(atMs / 1_000).toFixed(3)} s)`)
  console.log(`  replay: ${replayOf(outcome, numbers)}`)
}

const total = (done: readonly Outcome[], of: (outcome: Outcome) => number) =>
  done.reduce((sum, outcome) => sum + of(outcome), 0)
const secondsSince = (startedAtMs: number) => ((performance.now() - startedAtMs) / 1_000).toFixed(0)

function progress(done: readonly Outcome[], seeds: number, startedAtMs: number): void {
  if (!process.stdout.isTTY && done.length % 50 !== 0 && done.length !== seeds) return
  const nodeHours = total(done, (outcome) => outcome.nodeHours).toFixed(0)
  const line = `${done.length}/${seeds} seeds, ${nodeHours} node-hours, ${secondsSince(startedAtMs)} s`
  process.stdout.write(process.stdout.isTTY ? `\r${line}` : `${line}\n`)
}

function summarise(done: readonly Outcome[], startedAtMs: number): void {
  const [only, ...others] = done
  const what =
    others.length > 0 ? `${done.length} seeds` : `seed ${only?.seed}, print ${only?.fingerprint}`
  const nodeHours = total(done, (outcome) => outcome.nodeHours).toFixed(0)
  const actions = (['writes', 'marks', 'taints', 'evictions'] as const).map(
    (name) => `${total(done, ({ counts }) => counts[name])} ${name}`,
  )
  const broken = done.filter((outcome) => outcome.broken).length
  console.log(`\n${what}: ${nodeHours} node-hours in ${secondsSince(startedAtMs)} s`)
  console.log(`${actions.join(', ')}; ${broken} broken`)
}

const program: Program = {
  call: 'npm run simulate --',
  summary: 'Plays the lifecycle under fire, on virtual time: the same seed is the same world.',
  flags: FLAGS,
  run: (values) => direct(readNumbers(values)),
}

if (isMainThread)
  process.exitCode = await runProgram(program, process.argv.slice(2), terminalOf(process.env))
else if (workerData === 'simulate')
  parentPort?.on('message', async (plan: Plan) => parentPort?.postMessage(await simulate(plan)))

/**
 * `npm run simulate -- --seed N --hours H --nodes M --zones Z [--seeds K] [--jobs J]`: worlds one
 * after another, each from a seed, on as many threads as there are cores. The same seed is the same
 * world to the last write; a broken invariant is printed with the command that replays it, and ends
 * with code 1.
 */
import { availableParallelism } from 'node:os'
import { parseArgs } from 'node:util'
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'
import { type Outcome, type Plan, simulate } from './world.ts'

const OPTIONS = {
  seed: { type: 'string', default: '1' },
  seeds: { type: 'string', default: '1' },
  hours: { type: 'string', default: '1' },
  nodes: { type: 'string', default: '50' },
  zones: { type: 'string', default: '3' },
  jobs: { type: 'string', default: String(availableParallelism()) },
} as const

type Numbers = Readonly<Record<keyof typeof OPTIONS, number>>

function readNumbers(): Numbers {
  const { values } = parseArgs({ options: OPTIONS })
  const entries = Object.entries(values).map(([name, text]) => [name, Number(text)] as const)
  const bad = entries.find(([name, value]) => !(value > 0) && !(name === 'seed' && value === 0))
  if (bad) throw new Error(`--${bad[0]} must be a number above 0`)
  return Object.fromEntries(entries) as Numbers
}

const replayOf = ({ seed }: Outcome, { hours, nodes, zones }: Numbers) =>
  `npm run simulate -- --seed ${seed} --hours ${hours} --nodes ${nodes} --zones ${zones}`

// ---- the main thread hands out seeds and counts -------------------------------------------------

async function direct(numbers: Numbers): Promise<void> {
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
  if (done.some(({ broken }) => broken)) process.exitCode = 1
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

if (isMainThread) await direct(readNumbers())
else if (workerData === 'simulate')
  parentPort?.on('message', async (plan: Plan) => parentPort?.postMessage(await simulate(plan)))

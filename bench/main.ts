/**
 * `npm run bench [-- NAME...]`: measurements, each against a baseline taken in the same run,
 * because machines differ. Every bench ends with lines `name: ratio x.xx (budget y.yy)`; over
 * budget is a non-zero exit. A bench with a line over its budget is run twice more and the median
 * of the three counts, so that what else the machine does at that moment decides nothing.
 */
import { UsageError } from '../shared/flags/flag-set.ts'
import { type Program, runProgram, terminalOf } from '../shared/flags/program.ts'
import { type Bench, isOver, judged, type Ratio } from './bench.ts'

const benches: Readonly<Record<string, () => Promise<{ bench: Bench }>>> = {
  renewals: () => import('./renewals.ts'),
  'cold-start': () => import('./cold-start.ts'),
  tick: () => import('./tick.ts'),
  detection: () => import('./detection.ts'),
  handover: () => import('./handover.ts'),
  notifier: () => import('./notifier.ts'),
  dashboard: () => import('./dashboard.ts'),
}

function verdict({ name, ratio, budget }: Ratio): string {
  return `${name}: ratio ${ratio.toFixed(2)} (budget ${budget.toFixed(2)})`
}

async function run(name: string): Promise<readonly Ratio[]> {
  console.log(`\n== ${name}`)
  const { bench } = await benches[name]!()
  return await judged(bench, (lines) => {
    for (const over of lines) console.log(`over budget: ${verdict(over)}`)
    console.log(`\n== ${name}, once more`)
  })
}

async function runAll(asked: readonly string[]): Promise<number> {
  const names = asked.length > 0 ? asked : Object.keys(benches)
  const unknown = names.find((name) => !Object.hasOwn(benches, name))
  if (unknown !== undefined)
    throw new UsageError(`no bench ${unknown}: there is ${Object.keys(benches).join(', ')}`)
  const ratios: Ratio[] = []
  for (const name of names) ratios.push(...(await run(name)))
  console.log()
  for (const ratio of ratios) console.log(verdict(ratio))
  return ratios.some(isOver) ? 1 : 0
}

const program: Program = {
  call: 'npm run bench --',
  summary: 'Measurements, each a ratio against a baseline of the same run; all without a name.',
  operands: { shown: `[${Object.keys(benches).join('|')}] ...`, least: 0, most: 100 },
  run: (_values, names) => runAll(names),
}

process.exitCode = await runProgram(program, process.argv.slice(2), terminalOf(process.env))

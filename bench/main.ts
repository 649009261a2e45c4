/**
 * `npm run bench [-- NAME...]`: measurements, each against a baseline taken in the same run,
 * because machines differ. Every bench ends with lines `name: ratio x.xx (budget y.yy)`; over
 * budget is a non-zero exit. A bench with a line over its budget is run twice more and the median
 * of the three counts, so that what else the machine does at that moment decides nothing.
 */
import { parseArgs } from 'node:util'
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
  const load = benches[name]
  if (load === undefined)
    throw new Error(`no bench ${name}; there is ${Object.keys(benches).join(', ')}`)
  console.log(`\n== ${name}`)
  const { bench } = await load()
  return await judged(bench, (lines) => {
    for (const over of lines) console.log(`over budget: ${verdict(over)}`)
    console.log(`\n== ${name}, once more`)
  })
}

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { help: { type: 'boolean' } },
})
if (values.help) {
  console.log(`npm run bench -- [${Object.keys(benches).join('|')}] ...   (all without a name)`)
} else {
  const names = positionals.length > 0 ? positionals : Object.keys(benches)
  const ratios: Ratio[] = []
  for (const name of names) ratios.push(...(await run(name)))
  console.log()
  for (const ratio of ratios) console.log(verdict(ratio))
  if (ratios.some(isOver)) process.exitCode = 1
}

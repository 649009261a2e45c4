/**
 * `npm run model-check [-- --states 200000] [--zones 3,3]`: tries everything, prints how much that
 * was.
 */
import { flag, stringFlag, UsageError, wholeFlag } from '../../shared/flags/flag-set.ts'
import { type Program, runProgram, terminalOf } from '../../shared/flags/program.ts'
import { checkModel } from './model-check.ts'

const MOST_STATES = 100_000_000
const [STATES, ZONES] = ['200000', '3,3']

const program: Program = {
  call: 'npm run model-check --',
  summary: 'Tries every order of events in a small world.',
  flags: {
    states: flag('N', 'stop after so many', STATES),
    zones: flag('N,...', 'hosts in each zone', ZONES),
  },
  run: ({ states, zones }) =>
    check(
      wholeFlag('states', stringFlag(states) ?? STATES, MOST_STATES, 1),
      sizesOf(stringFlag(zones) ?? ZONES),
    ),
}

function sizesOf(text: string): readonly number[] {
  if (/^[1-9](,[1-9])*$/.test(text)) return text.split(',').map(Number)
  throw new UsageError(`--zones ${text}: give the hosts of each zone, such as 3,3`)
}

async function check(maxStates: number, sizes: readonly number[]): Promise<number> {
  const startedAtMs = performance.now()
  let toldAtMs = 0
  const seconds = () => ((performance.now() - startedAtMs) / 1_000).toFixed(0)
  const found = await checkModel({
    sizes,
    maxStates,
    onProgress: (states, ways) => {
      if (performance.now() - toldAtMs < 5_000) return
      toldAtMs = performance.now()
      console.log(`${states} states, ${ways} ways between them, ${seconds()} s`)
    },
  })
  console.log(`${found.states} distinct states, ${found.ways} ways tried, ${seconds()} s`)
  if (!found.broken) return 0
  console.log(`${found.broken.why}\n  ${found.broken.story.join('\n  ')}`)
  return 1
}

process.exitCode = await runProgram(program, process.argv.slice(2), terminalOf(process.env))

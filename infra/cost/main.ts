/**
 * `npm run cost -- --nodes 1000 --beat 10s`: what a month costs, by component, and what each option
 * changes.
 */
import { parseArgs } from 'node:util'
import { costReport } from './report.ts'
import type { FleetPlan } from './usage.ts'

const HELP = `npm run cost -- [--nodes 1000] [--beat 10s]

Prints what a month costs from list prices (us-east-1) and measured units.
`

function planOf(nodes: string, beat: string): FleetPlan {
  const seconds = /^(\d+)s$/.exec(beat)?.[1]
  if (seconds === undefined || Number(seconds) === 0)
    throw new Error(`--beat ${beat}: give whole seconds, such as 10s`)
  if (!/^\d{1,7}$/.test(nodes)) throw new Error(`--nodes ${nodes}: give a whole number`)
  return { nodes: Number(nodes), beatSeconds: Number(seconds) }
}

try {
  const { values } = parseArgs({
    options: {
      nodes: { type: 'string', default: '1000' },
      beat: { type: 'string', default: '10s' },
      help: { type: 'boolean' },
    },
  })
  console.log(values.help ? HELP : costReport(planOf(values.nodes, values.beat)))
} catch (error) {
  console.error(`${(error as Error).message}\n\n${HELP}`)
  process.exitCode = 2
}

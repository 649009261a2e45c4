/**
 * `npm run cost -- --nodes 1000 --beat 10s`: what a month costs, by component, and what each option
 * changes.
 */
import { flag, stringFlag, UsageError, wholeFlag } from '../../shared/flags/flag-set.ts'
import { type Program, runProgram, terminalOf } from '../../shared/flags/program.ts'
import { costReport } from './report.ts'
import type { FleetPlan } from './usage.ts'

const MOST_NODES = 10_000_000

function planOf(nodes: string, beat: string): FleetPlan {
  const seconds = /^(\d+)s$/.exec(beat)?.[1]
  if (seconds === undefined || Number(seconds) === 0)
    throw new UsageError(`--beat ${beat}: give whole seconds, such as 10s`)
  return { nodes: wholeFlag('nodes', nodes, MOST_NODES), beatSeconds: Number(seconds) }
}

const cost: Program = {
  call: 'npm run cost --',
  summary: 'Prints what a month costs from list prices (us-east-1) and measured units.',
  flags: {
    nodes: flag('N', 'hosts in the fleet', '1000'),
    beat: flag('TIME', 'between two beats of a host', '10s'),
  },
  run({ nodes, beat }) {
    console.log(costReport(planOf(stringFlag(nodes) ?? '1000', stringFlag(beat) ?? '10s')))
    return 0
  },
}

process.exitCode = await runProgram(cost, process.argv.slice(2), terminalOf(process.env))

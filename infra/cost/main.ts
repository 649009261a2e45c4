/**
 * `npm run cost -- --nodes 1000 --beat 10s`: what a month costs, by component, and what each option
 * changes.
 */
import { flag, stringFlag, UsageError, wholeFlag } from '../../shared/flags/flag-set.ts'
import { type Program, runProgram, terminalOf } from '../../shared/flags/program.ts'
import { bill, billTotal, type Choice, withoutFreeCloudWatch } from './bill.ts'
import { PRICES_AS_OF } from './prices.ts'
import type { FleetPlan } from './usage.ts'

const STANDARD: Choice = { billing: 'on-demand', ingress: 'function-url', monitor: 'continuous' }
const OPTIONS: readonly (readonly [string, Partial<Choice>])[] = [
  ['provisioned capacity, 70 % used', { billing: 'provisioned' }],
  ['API Gateway HTTP API', { ingress: 'http-api' }],
  ['monitor only once a minute', { monitor: 'once-a-minute' }],
]

const MOST_NODES = 10_000_000

function planOf(nodes: string, beat: string): FleetPlan {
  const seconds = /^(\d+)s$/.exec(beat)?.[1]
  if (seconds === undefined || Number(seconds) === 0)
    throw new UsageError(`--beat ${beat}: give whole seconds, such as 10s`)
  return { nodes: wholeFlag('nodes', nodes, MOST_NODES), beatSeconds: Number(seconds) }
}

const money = (dollars: number) => `$${dollars.toFixed(dollars < 1 ? 3 : 2)}`.padStart(12)

function print(plan: FleetPlan): number {
  const row = (label: string, dollars: number) => {
    const each = plan.nodes > 0 ? money(dollars / plan.nodes) : ''
    console.log(`${label.padEnd(34)}${money(dollars)}${each}`)
  }
  console.log(
    `${plan.nodes} nodes, a beat every ${plan.beatSeconds} s, prices of ${PRICES_AS_OF}\n`,
  )
  console.log(
    `${'per month'.padEnd(34)}${'fleet'.padStart(12)}${plan.nodes > 0 ? 'a node'.padStart(12) : ''}`,
  )
  const lines = bill(plan, STANDARD)
  for (const line of lines) row(line.component, line.dollars)
  row('total', billTotal(lines))
  console.log('\nwith instead')
  for (const [label, change] of OPTIONS)
    row(label, billTotal(bill(plan, { ...STANDARD, ...change })))
  const usedUp = money(withoutFreeCloudWatch()).trim()
  console.log(
    `\nCloudWatch is counted within what every account has free; used up, it adds ${usedUp}.`,
  )
  return 0
}

const cost: Program = {
  call: 'npm run cost --',
  summary: 'Prints what a month costs from list prices (us-east-1) and measured units.',
  flags: {
    nodes: flag('N', 'hosts in the fleet', '1000'),
    beat: flag('TIME', 'between two beats of a host', '10s'),
  },
  run: ({ nodes, beat }) => print(planOf(stringFlag(nodes) ?? '1000', stringFlag(beat) ?? '10s')),
}

process.exitCode = await runProgram(cost, process.argv.slice(2), terminalOf(process.env))

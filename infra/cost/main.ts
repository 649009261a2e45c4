/**
 * `npm run cost -- --nodes 1000 --beat 10s`: what a month costs, by component, and what each option
 * changes.
 */
import { parseArgs } from 'node:util'
import { bill, billTotal, type Choice, withoutFreeCloudWatch } from './bill.ts'
import { PRICES_AS_OF } from './prices.ts'
import type { FleetPlan } from './usage.ts'

const STANDARD: Choice = { billing: 'on-demand', ingress: 'function-url', monitor: 'continuous' }
const OPTIONS: readonly (readonly [string, Partial<Choice>])[] = [
  ['provisioned capacity, 70 % used', { billing: 'provisioned' }],
  ['API Gateway HTTP API', { ingress: 'http-api' }],
  ['monitor only once a minute', { monitor: 'once-a-minute' }],
]

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

const money = (dollars: number) => `$${dollars.toFixed(dollars < 1 ? 3 : 2)}`.padStart(12)

function print(plan: FleetPlan): void {
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
}

const { values } = parseArgs({
  options: {
    nodes: { type: 'string', default: '1000' },
    beat: { type: 'string', default: '10s' },
    help: { type: 'boolean' },
  },
})
try {
  if (values.help) console.log(HELP)
  else print(planOf(values.nodes, values.beat))
} catch (error) {
  console.error(`${(error as Error).message}\n\n${HELP}`)
  process.exitCode = 2
}

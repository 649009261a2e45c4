/** What `npm run cost` prints: the bill, what each option changes, and what a faster beat costs. */
import { bill, billTotal, type Choice, withoutFree } from './bill.ts'
import { PRICES_AS_OF } from './prices.ts'
import type { FleetPlan } from './usage.ts'

const STANDARD: Choice = { leases: 'on-demand', ingress: 'function-url', monitor: 'continuous' }
const PROVISIONED: Choice = { ...STANDARD, leases: 'provisioned' }
const OPTIONS: readonly (readonly [string, Choice])[] = [
  ['Leases provisioned, 70 % used', PROVISIONED],
  ['API Gateway HTTP API', { ...STANDARD, ingress: 'http-api' }],
  ['monitor only once a minute', { ...STANDARD, monitor: 'once-a-minute' }],
]
const BEATS_SECONDS = [5, 10, 15, 30, 60]
/** As fifty seconds are to ten: four beats may be lost. */
const BEATS_A_GRACE = 5

export function costReport(plan: FleetPlan): string {
  const { nodes, beatSeconds } = plan
  const row = (label: string, dollars: number) =>
    `${label.padEnd(34)}${money(dollars)}${nodes > 0 ? money(dollars / nodes) : ''}`
  const lines = bill(plan, STANDARD)
  const head = nodes > 0 ? 'a node'.padStart(12) : ''
  return [
    `${nodes} nodes, a beat every ${beatSeconds} s, list prices of us-east-1, ${PRICES_AS_OF}`,
    '',
    `${'per month'.padEnd(34)}${'fleet'.padStart(12)}${head}`,
    ...lines.map(({ component, dollars }) => row(component, dollars)),
    row('total', billTotal(lines)),
    '',
    'with instead',
    ...OPTIONS.map(([label, choice]) => row(label, billTotal(bill(plan, choice)))),
    '',
    'Alarms, metrics, logs and data transfer are counted beyond what every account has free',
    `(${money(withoutFree(plan)).trim()} more where other stacks have used that up),`,
    'Lambda without its free tier. Not counted: kubectl, watches, pods.',
    ...(nodes > 0 ? ['', beatTable(nodes)] : []),
  ].join('\n')
}

const money = (dollars: number) => `$${dollars.toFixed(dollars < 1 ? 3 : 2)}`.padStart(12)

/** In Markdown: README.md shows it, and a test compares. */
function beatTable(nodes: number): string {
  const rows = BEATS_SECONDS.map((beatSeconds) => {
    const graceSeconds = beatSeconds * BEATS_A_GRACE
    const [onDemand, provisioned] = [STANDARD, PROVISIONED].map((choice) => {
      const dollars = billTotal(bill({ nodes, beatSeconds }, choice))
      return `$${dollars.toFixed(0)} ($${(dollars / nodes).toFixed(3)})`
    })
    const found = `${graceSeconds - beatSeconds} to ${graceSeconds} s`
    return `| ${beatSeconds} s | ${graceSeconds} s | ${found} | ${onDemand} | ${provisioned} |`
  })
  const heads = [
    'a beat every',
    'grace',
    'a dead host is found after',
    `${nodes} nodes a month, on demand (a node)`,
    'Leases provisioned',
  ]
  return [`| ${heads.join(' | ')} |`, '|---|---|---|---|---|', ...rows].join('\n')
}

import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { costReport } from '../../../infra/cost/report.ts'

const readme = readFileSync(new URL('../../../README.md', import.meta.url), 'utf8')
const thousand = costReport({ nodes: 1000, beatSeconds: 10 })
const dollars = (report: string, label: string) =>
  Math.round(Number(new RegExp(`^${label} +\\$([\\d.]+)`, 'm').exec(report)?.[1]))

describe('the README', () => {
  it('names the prices that `npm run cost` prints', () => {
    const [, onDemand, provisioned, idle] =
      /about\s+\$(\d+) a month on demand,\s+\$(\d+) with the Leases table provisioned[^$]*\$(\d+)/.exec(
        readme,
      ) ?? []
    expect(Number(onDemand)).toBe(dollars(thousand, 'total'))
    expect(Number(provisioned)).toBe(dollars(thousand, 'Leases provisioned, 70 % used'))
    expect(Number(idle)).toBe(dollars(costReport({ nodes: 0, beatSeconds: 10 }), 'total'))
  })

  it('shows its table of price against detection time', () => {
    const table = thousand.slice(thousand.indexOf('| a beat every'))
    expect(table.split('\n')).toHaveLength(7)
    expect(readme).toContain(table)
  })

  it('says of when the prices are', () => {
    const [, month = 'none'] = /us-east-1, (\d{4}-\d\d)/.exec(thousand) ?? []
    expect(readme).toContain(`list prices of us-east-1, ${month}`)
  })
})

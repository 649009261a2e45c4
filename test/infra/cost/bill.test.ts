import { describe, expect, it } from 'vitest'
import { bill, billTotal, type Choice } from '../../../infra/cost/bill.ts'

const standard: Choice = { billing: 'on-demand', ingress: 'function-url', monitor: 'continuous' }
const fleet = { nodes: 1000, beatSeconds: 10 }
const perNode = (choice: Choice) => billTotal(bill(fleet, choice)) / fleet.nodes

describe('the bill', () => {
  it('keeps the budgets of a node-month', () => {
    expect(perNode(standard)).toBeLessThan(0.3)
    expect(perNode({ ...standard, billing: 'provisioned' })).toBeLessThan(0.2)
  })

  it('is under five dollars a month when idle', () => {
    expect(billTotal(bill({ nodes: 0, beatSeconds: 10 }, standard))).toBeLessThan(5)
  })

  it('halves the beats and with them what beats cost', () => {
    const slower = bill({ ...fleet, beatSeconds: 20 }, standard)
    const writes = (lines: ReturnType<typeof bill>) => lines[0]?.dollars ?? 0
    const ratio = writes(slower) / writes(bill(fleet, standard))
    expect(ratio).toBeGreaterThan(0.5)
    expect(ratio).toBeLessThan(0.62)
  })

  it('counts what a report wakes besides the api', () => {
    const line = (nodes: number, component: string) =>
      bill({ nodes, beatSeconds: 10 }, standard).find((each) => each.component === component)
        ?.dollars ?? Number.NaN
    expect(line(0, 'Lambda time, notifier')).toBe(0)
    expect(line(1000, 'Lambda time, notifier')).toBeGreaterThan(0)
  })

  it('charges a request fee only behind the HTTP API', () => {
    const gateway = bill(fleet, { ...standard, ingress: 'http-api' })
    const fee = (lines: ReturnType<typeof bill>) =>
      lines.find(({ component }) => component === 'HTTP API')?.dollars ?? 0
    expect(fee(bill(fleet, standard))).toBe(0)
    expect(fee(gateway)).toBeGreaterThan(0)
  })
})

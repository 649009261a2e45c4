import { describe, expect, it } from 'vitest'
import { bill, billTotal, type Choice } from '../../../infra/cost/bill.ts'

const standard: Choice = { leases: 'on-demand', ingress: 'function-url', monitor: 'continuous' }
const fleet = { nodes: 1000, beatSeconds: 10 }
const perNode = (choice: Choice) => billTotal(bill(fleet, choice)) / fleet.nodes
const line = (component: string, choice: Choice, plan = fleet) =>
  bill(plan, choice).find((each) => each.component === component)?.dollars ?? Number.NaN

describe('the bill', () => {
  it('keeps the budgets of a node-month', () => {
    expect(perNode(standard)).toBeLessThan(0.3)
    expect(perNode({ ...standard, leases: 'provisioned' })).toBeLessThan(0.2)
  })

  it('is under five dollars a month when idle', () => {
    expect(billTotal(bill({ nodes: 0, beatSeconds: 10 }, standard))).toBeLessThan(5)
  })

  it('halves the beats and with them what beats cost', () => {
    const slower = bill({ ...fleet, beatSeconds: 20 }, standard)
    const writes = (lines: ReturnType<typeof bill>) => lines[0]?.dollars ?? 0
    const ratio = writes(slower) / writes(bill(fleet, standard))
    expect(ratio).toBeGreaterThan(0.5)
    expect(ratio).toBeLessThan(0.51)
  })

  it('counts what a report wakes besides the api', () => {
    expect(line('Lambda time, notifier', standard, { ...fleet, nodes: 0 })).toBe(0)
    expect(line('Lambda time, notifier', standard)).toBeGreaterThan(0)
  })

  it('charges for requests and their logs only behind the HTTP API', () => {
    for (const component of ['HTTP API', 'CloudWatch logs']) {
      expect(line(component, standard)).toBe(0)
      expect(line(component, { ...standard, ingress: 'http-api' })).toBeGreaterThan(0)
    }
  })

  it('counts what leaves AWS beyond the free hundred gigabytes', () => {
    const few = { nodes: 100, beatSeconds: 10 }
    expect(line('Data transfer out', standard, few)).toBe(0)
    // 173 GB at $0.09.
    expect(line('Data transfer out', standard)).toBeGreaterThan(5)
  })

  it('counts the lists of each new monitor, which grow with the fleet', () => {
    const once = { ...standard, monitor: 'once-a-minute' } as const
    const large = { nodes: 10_000, beatSeconds: 10 }
    // 7,324 units, twice in every 690 seconds of a month.
    const lists = (7_324 * 2 * 730 * 3600 * 0.125e-6) / 690
    expect(line('DynamoDB reads, Objects', standard, large)).toBeGreaterThan(lists)
    // Once a minute each start is a new monitor.
    expect(line('DynamoDB reads, Objects', once, large)).toBeGreaterThan(lists * 5)
  })

  it('leaves Objects on demand where Leases are provisioned', () => {
    const provisioned = { ...standard, leases: 'provisioned' } as const
    for (const what of ['writes', 'reads']) {
      const [leases, objects] = [`DynamoDB ${what}, Leases`, `DynamoDB ${what}, Objects`]
      expect(line(leases, provisioned)).toBeLessThan(line(leases, standard))
      expect(line(objects, provisioned)).toBe(line(objects, standard))
    }
  })
})

import { expect, it } from 'vitest'
import { toTable } from '../../../../shared/kube/table.ts'
import { type Zone, zones } from '../../../../shared/kube/zone/resource.ts'

const nowMs = Date.UTC(2026, 0, 2, 3, 4, 5)
const zone: Zone = {
  metadata: { name: 'eu.a', creationTimestamp: '2026-01-02T03:00:00Z' },
  status: {
    ...{ state: 'PartialDisruption', nodes: 60, notReady: 40 },
    ...{ unhealthyShare: '0.67', evictionRate: '0.01' },
  },
}
const cells = (one: Zone) => toTable({ resource: zones, objects: [one], nowMs }).rows[0]?.cells

it('a zone is a line with its state and pace', () => {
  expect(zones.columns.map(({ name }) => name.toUpperCase()).join(' ')).toBe(
    'NAME STATE NODES NOTREADY RATE AGE',
  )
  expect(cells(zone)).toEqual(['eu.a', 'PartialDisruption', 60, 40, '0.01/s', '4m5s'])
})

it('a zone whose evictions are stopped says so in place of its rate', () => {
  const paused = { ...zone, status: { ...zone.status!, evictionsPaused: true } }
  expect(cells(paused)?.[4]).toBe('paused')
})

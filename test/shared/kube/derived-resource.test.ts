import { describe, expect, it } from 'vitest'
import { type FleetStatus, fleets } from '../../../shared/kube/fleet/resource.ts'
import { toTable } from '../../../shared/kube/table.ts'
import { type Zone, zones } from '../../../shared/kube/zone/resource.ts'

const old: Zone = {
  metadata: { name: 'eu.a', uid: 'u1', resourceVersion: '7', labels: { a: 'b' } },
  status: { state: 'Normal', nodes: 3, notReady: 0, unhealthyShare: '0', evictionRate: '0.1' },
}

describe('what the monitor derives', () => {
  it('takes new annotations and puts everything else back', () => {
    const annotations = { 'leasehold.dev/evictions-paused': 'storage move' }
    const sent: Zone = {
      metadata: { name: 'eu.a', uid: 'u1', resourceVersion: '7', annotations },
      status: { ...old.status!, state: 'FullDisruption' },
    }
    const next = zones.prepareForUpdate(sent, old)
    expect(next).toEqual({ ...old, metadata: { ...old.metadata, annotations } })
    expect(zones.validateUpdate(next, old)).toEqual([])
  })

  it('forgets annotations that are taken away', () => {
    const paused = { ...old, metadata: { ...old.metadata, annotations: { why: 'x' } } }
    expect(zones.prepareForUpdate(old, paused).metadata.annotations).toBeUndefined()
  })

  it('refuses a uid that is another one', () => {
    const sent = { ...old, metadata: { ...old.metadata, uid: 'u2' } }
    expect(zones.validateUpdate(zones.prepareForUpdate(sent, old), old)).toHaveLength(1)
  })

  it('prints the fleet as one line', () => {
    const counts = { nodes: 5, ready: 3, notReady: 1, unknown: 1 }
    const status = { ...counts, held: ['blind', 'observe'] } as unknown as FleetStatus
    const fleet = { metadata: { name: 'fleet' }, status }
    const { rows } = toTable({ resource: fleets, objects: [fleet], nowMs: 0 })
    expect(rows[0]?.cells.slice(0, 5)).toEqual(['fleet', 5, 3, 1, 'blind,observe'])
  })
})

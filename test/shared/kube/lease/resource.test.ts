import { describe, expect, it } from 'vitest'
import { leases } from '../../../../shared/kube/lease/resource.ts'
import type { Lease } from '../../../../shared/kube/objects.ts'
import { toTable } from '../../../../shared/kube/table.ts'
import { expectConformance } from '../../../known-differences.ts'
import { loadVectors, type VectorCase, withTimes } from '../../../vectors.ts'
import { create, pairs, update } from '../resource-writes.ts'

const nowMs = Date.UTC(2026, 0, 2, 3, 4, 5)
const { cases } = loadVectors('lease-validation')
const wire = (object: unknown) => withTimes(object, nowMs) as Lease

// What is decided by the store, the request layer or the decoder is played over HTTP elsewhere.
const judgedHere = ({ given, expect }: VectorCase) =>
  given.object && [200, 201, 422].includes(expect.status) && !given.gateCoordinated

describe('lease-validation vectors', () => {
  const creates = cases.filter((one) => one.given.kind === 'create' && judgedHere(one))
  it.each(creates)('create: $name', async ({ name, given, expect: wanted }) => {
    const { metadata, ...rest } = wire(given.object)
    const namespace = metadata.namespace ?? given.urlNamespace
    const { stored, errors } = create(leases, { metadata: { ...metadata, namespace }, ...rest })
    await expectConformance('lease-validation.json', name, () => {
      expect(pairs(errors)).toEqual(pairs(wanted.errors))
      expectSpec(stored, wanted.stored)
    })
  })

  const updates = cases.filter((one) => one.given.kind === 'update' && judgedHere(one))
  it.each(updates)('update: $name', ({ given, expect: wanted }) => {
    const old = wire(given.old)
    const { stored, errors } = update(leases, { object: wire(given.object), old })
    expect(pairs(errors)).toEqual(pairs(wanted.errors))
    expectSpec(stored, wanted.stored)
    if (wanted.stored?.uid) expect(stored.metadata.uid).toBe(wanted.stored.uid)
    if (wanted.stored?.creationTimestamp) {
      expect(stored.metadata.creationTimestamp).toBe(old.metadata.creationTimestamp)
    }
    if (wanted.stored?.generation === null) expect(stored.metadata.generation).toBeUndefined()
  })

  // Coordinated election is off here, so nothing reaches these rules but what was stored with it.
  const coordinated = cases.filter(({ given }) => given.gateCoordinated)
  it.each(coordinated)('judge as stored: $name', ({ given, expect: wanted }) => {
    expect(pairs(leases.validateCreate(wire(given.object)))).toEqual(pairs(wanted.errors))
  })

  it('plays most of the file', () => {
    expect(creates.length + updates.length + coordinated.length).toBeGreaterThanOrEqual(55)
  })
})

const SPEC_MEMBERS = ['holderIdentity', 'strategy', 'preferredHolder'] as const

function expectSpec({ spec }: Lease, wanted: Record<string, unknown> | undefined) {
  for (const member of SPEC_MEMBERS) {
    if (wanted && member in wanted) expect(spec?.[member] ?? null).toBe(wanted[member])
  }
  if (wanted?.spec) expect(spec).toEqual(wanted.spec)
}

describe('a lease', () => {
  it('names the missing version as kubectl shows it', () => {
    const old: Lease = { metadata: { name: 'a', namespace: 'ns', resourceVersion: '3' }, spec: {} }
    const object: Lease = { metadata: { name: 'a', namespace: 'ns' }, spec: {} }
    const { errors } = update(leases, { object, old })
    expect(errors.map(({ field, message }) => `${field}: ${message}`)).toEqual([
      'metadata.resourceVersion: Invalid value: 0: must be specified for an update',
    ])
  })

  it('says what is wrong with a duration in the words of Kubernetes', () => {
    const object: Lease = {
      metadata: { name: 'a', namespace: 'ns' },
      spec: { leaseDurationSeconds: 0 },
    }
    expect(create(leases, object).errors).toEqual([
      {
        type: 'Invalid',
        field: 'spec.leaseDurationSeconds',
        message: 'Invalid value: 0: must be greater than 0',
      },
    ])
  })

  it('is one line with its holder and age', () => {
    const object = wire({
      metadata: { name: 'node-1', namespace: 'kube-node-lease', creationTimestamp: -90 },
      spec: { holderIdentity: 'node-1' },
    })
    const table = toTable({ resource: leases, objects: [object], nowMs })
    expect(table.columnDefinitions?.map(({ name }) => name)).toEqual(['Name', 'Holder', 'Age'])
    expect(table.rows[0]?.cells).toEqual(['node-1', 'node-1', '90s'])
  })
})

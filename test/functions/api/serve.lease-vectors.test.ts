/** Every case of lease-validation.json over HTTP. */
import { describe, expect, it } from 'vitest'
import { leases } from '../../../shared/kube/lease/resource.ts'
import type { Lease } from '../../../shared/kube/objects.ts'
import { invalid } from '../../../shared/kube/status-error.ts'
import { expectConformance, staleDifferences } from '../../known-differences.ts'
import { loadVectors, type VectorCase, withTimes } from '../../vectors.ts'
import {
  addNamespace,
  compareErrors,
  compareStatus,
  plant,
  titleOf,
  titles,
  translated,
  translatedOptions,
} from './vector-world.ts'
import { NODES, node, type Reply, START_MS, type World, world } from './world.ts'

const FILE = 'lease-validation.json'
const { cases } = loadVectors('lease-validation')
const pathIn = (namespace: string) =>
  `/apis/coordination.k8s.io/v1/namespaces/${encodeURIComponent(namespace)}/leases`
const HOLDER = `${pathIn('ns')}/holder`

describe(FILE, () => {
  it.each(cases)('$name', async (vector) => {
    await expectConformance(FILE, titleOf(vector), () => run(vector))
  })

  it('has no case on the page of differences that is not in the file', () => {
    expect(staleDifferences({ file: FILE, cases: titles() })).toEqual([])
  })
})

async function run(vector: VectorCase): Promise<void> {
  // What was last renewed ten seconds ago is stored ten seconds before it is written again.
  const agedMs = Math.max(0, -(vector.given.old?.spec?.renewTime ?? 0)) * 1000
  const given = withTimes(vector.given, START_MS + agedMs) as VectorCase['given']
  const expected = withTimes(vector.expect, START_MS + agedMs) as VectorCase['expect']
  const place = world()
  if (given.gateCoordinated) return judge(given, expected)
  if (given.kind === 'create') return await create(place, given, expected)
  if (given.kind === 'timeFormat') return await timeFormat(place, given, expected)

  if (given.namespaceExists !== false) {
    await addNamespace(place, 'ns', given.namespaceTerminating)
  }
  const old = given.old?.metadata ? given.old : undefined
  const version = old ? await plant(place, 'leases', old) : '0'
  place.advance(agedMs)
  const reply = await change(place, given, old, version)
  compareStatus(reply, expected)
  await compareStored(place, reply, expected)
}

/** Coordinated election cannot be switched on here; its rules hold for what is stored already. */
function judge(given: VectorCase['given'], expected: VectorCase['expect']): void {
  const lease = given.object as Lease
  const errors = leases.validateCreate(lease)
  expect(errors.length === 0 ? 201 : 422).toBe(expected.status)
  const named = { group: 'coordination.k8s.io', plural: 'leases', kind: 'Lease' }
  compareErrors(invalid(named, lease.metadata.name ?? '', errors).body, expected)
}

function change(
  place: World,
  given: VectorCase['given'],
  old: VectorCase['given'],
  version: string,
) {
  const path = `${pathIn('ns')}/${given.urlName ?? old?.metadata.name ?? 'holder'}`
  if (given.kind === 'update') {
    return place.call('PUT', path, { body: translated(given.object, old, version) })
  }
  if (given.kind === 'patch') {
    return place.call('PATCH', path, { body: translated(given.patch, old, version) })
  }
  return place.call('DELETE', path, { body: translatedOptions(given.options, old, version) })
}

async function create(place: World, given: VectorCase['given'], expected: VectorCase['expect']) {
  const namespace = given.urlNamespace ?? given.object?.metadata.namespace ?? 'ns'
  if (given.namespaceExists !== false) {
    await addNamespace(place, namespace, given.namespaceTerminating)
  }
  if (given.existing) await place.call('POST', pathIn(namespace), { body: given.object })
  const reply = await place.call(
    'POST',
    pathIn(namespace),
    given.bodyBytes ? { raw: bodyOf(given.bodyBytes) } : { body: given.object },
  )
  compareStatus(reply, expected)
  const { namePattern, uid, creationTimestamp, ...stored } = expected.stored ?? {}
  if (namePattern) expect(reply.body.metadata.name).toMatch(new RegExp(namePattern))
  if (uid === 'generated') expect(reply.body.metadata.uid).not.toBe(given.object.metadata.uid)
  if (creationTimestamp === 'serverNow') {
    expect(reply.body.metadata.creationTimestamp).toBe('2026-01-02T03:04:05Z')
  }
  await compareStored(place, reply, { ...expected, stored })
}

/** A lease that is right, and as long as is asked. */
const bodyOf = (bytes: number): string =>
  JSON.stringify({ metadata: { name: 'holder' }, spec: {} }).padEnd(bytes)

async function compareStored(place: World, reply: Reply, expected: VectorCase['expect']) {
  if (expected.deleted !== undefined) {
    expect((await place.call('GET', HOLDER)).status).toBe(expected.deleted ? 404 : 200)
  }
  const { spec, leaseTransitions: _number, ...stored } = expected.stored ?? {}
  if (spec) expect(withoutTransitions(reply.body.spec)).toEqual(spec)
  for (const [field, value] of Object.entries(stored)) {
    const found = reply.body.spec[field] ?? reply.body.metadata[field] ?? null
    expect(found, field).toEqual(value)
  }
}

/** The fencing number is the server's and survives whatever a client empties. */
const withoutTransitions = ({ leaseTransitions: _number, ...spec }: Record<string, unknown>) => spec

async function timeFormat(
  place: World,
  given: VectorCase['given'],
  expected: VectorCase['expect'],
) {
  const { field, text } = given
  const isLease = field === 'renewTime' || field === 'acquireTime'
  await addNamespace(place, 'ns')
  const reply = isLease
    ? await place.call('POST', pathIn('ns'), {
        body: { metadata: { name: 'a' }, spec: { [field]: text } },
      })
    : await place.call('POST', NODES, {
        body: node('a', {
          status: { conditions: [{ type: 'Ready', status: 'True', [field]: text }] },
        }),
      })
  expect(reply.status).toBe(expected.ok ? 201 : expected.status)
  if (!expected.ok) return
  const shown = isLease ? reply.body.spec[field] : reply.body.status.conditions[0][field]
  expect(shown ?? null).toBe(expected.output)
}

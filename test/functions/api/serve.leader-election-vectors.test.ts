/**
 * The cases of leader-election.json about the server itself, over HTTP. The rest are about a client.
 */
import { describe, expect, it } from 'vitest'
import { expectConformance, notHere, staleDifferences } from '../../known-differences.ts'
import { loadVectors, type VectorCase } from '../../vectors.ts'
import { LOCKS, lease, START_MS, type World, world } from './world.ts'

const FILE = 'leader-election.json'
const all = loadVectors('leader-election').cases
const cases = all.filter(({ given }) => given.kind === 'server')
const LOCK = `${LOCKS}/lock`
const HOUR_MS = 3_600_000

const time = (seconds: number) =>
  new Date(START_MS + seconds * 1000).toISOString().replace('Z', '000Z')

/** A stored lease whose record is what the vectors call a leader election record. */
async function plant(place: World, record: Record<string, unknown>) {
  const { leaderTransitions, acquireTime = 0, renewTime = 0, ...rest } = record
  const times = { acquireTime: time(Number(acquireTime)), renewTime: time(Number(renewTime)) }
  const spec = { ...rest, ...times, leaseTransitions: leaderTransitions }
  const made = await place.call('POST', LOCKS, { body: lease('lock', spec) })
  expect(made.status).toBe(201)
  return made.body
}

const held = { holderIdentity: 'bing', leaseDurationSeconds: 15, leaderTransitions: 0 }

async function play({ given, expect: expected }: VectorCase): Promise<void> {
  const place = world()
  if (given.serverNow !== undefined) {
    const stored = await plant(place, given.stored)
    place.advance(HOUR_MS)
    const { status, body } = await place.call('GET', LOCK)
    const storedUnchanged = JSON.stringify(body) === JSON.stringify(stored)
    expect({ storedUnchanged, deleted: status === 404 }).toEqual(expected)
  } else if (given.writerHolder) {
    const stored = await plant(place, given.stored)
    const spec = { ...stored.spec, holderIdentity: given.writerHolder }
    const { status } = await place.call('PUT', LOCK, { body: { ...stored, spec } })
    expect({ accepted: status === 200 }).toEqual(expected)
  } else if (given.resourceVersion === null) {
    const { resourceVersion: _, ...metadata } = (await plant(place, held)).metadata
    const { status, body } = await place.call('PUT', LOCK, {
      body: { ...lease('lock', {}), metadata },
    })
    const { reason, details } = body
    expect({ httpStatus: status, reason, field: details.causes[0].field }).toEqual(expected)
  } else {
    const stored = await plant(place, { ...held, leaderTransitions: given.stored })
    const spec = { ...stored.spec, leaseTransitions: given.new }
    const { status, body } = await place.call('PUT', LOCK, { body: { ...stored, spec } })
    const accepted = status === 200 && body.spec.leaseTransitions === given.new
    expect({ accepted }).toEqual(expected)
  }
}

describe(FILE, () => {
  it.each(cases)('$name', async (each) => {
    await expectConformance(FILE, each.name, () => play(each))
  })

  it('lists every other case as not here, by class', () => {
    const others = all.filter(({ given }) => given.kind !== 'server')
    const kinds = [...new Set(others.map(({ given }) => String(given.kind)))].sort()
    expect(notHere(FILE)).toEqual([{ kinds, cases: others.length }])
    expect(staleDifferences({ file: FILE, cases })).toEqual([])
  })
})

/** Every case of node-validation.json over HTTP. */
import { describe, expect, it } from 'vitest'
import type { Node } from '../../../shared/kube/objects.ts'
import { expectConformance, staleDifferences } from '../../known-differences.ts'
import { loadVectors, type VectorCase, withTimes } from '../../vectors.ts'
import {
  compareStatus,
  plant,
  titleOf,
  titles,
  translated,
  translatedOptions,
} from './vector-world.ts'
import { LEASES, NODES, node, START_MS, type World, world } from './world.ts'

const FILE = 'node-validation.json'
const { cases } = loadVectors('node-validation')

type Given = VectorCase['given']
type Expected = VectorCase['expect']
type Run = (place: World, given: Given, expected: Expected) => Promise<void>

describe(FILE, () => {
  it.each(cases)('$name', async (vector) => {
    await expectConformance(FILE, titleOf(vector), async () => {
      const given = withTimes(vector.given, START_MS) as Given
      await RUNS[given.kind as keyof typeof RUNS](world(), given, vector.expect)
    })
  })

  it('has no case on the page of differences that is not in the file', () => {
    expect(staleDifferences({ file: FILE, cases: titles() })).toEqual([])
  })
})

const create: Run = async (place, given, expected) => {
  const reply = await place.call('POST', NODES, { body: given.object })
  compareStatus(reply, expected)
  compareStored(reply.body, expected)
}

const put =
  (suffix: string): Run =>
  async (place, given, expected) => {
    const version = given.old ? await plant(place, 'nodes', given.old) : '0'
    const body = translated(given.object, given.old ?? undefined, version)
    const reply = await place.call('PUT', `${NODES}/${nameIn(given)}${suffix}`, { body })
    compareStatus(reply, expected)
    compareStored(reply.body, expected)
  }

const nameIn = (given: Given): string =>
  given.urlName ?? given.old?.metadata.name ?? given.object?.metadata.name ?? 'foo'

const podCIDRSync: Run = async (place, given, expected) => {
  const reply = await place.call('POST', NODES, { body: node('abc', { spec: given.input }) })
  const { podCIDR, podCIDRs } = (reply.body as Node).spec ?? {}
  expect(podCIDRs ?? []).toEqual(expected.stored)
  expect(podCIDR).toBe(expected.stored[0])
  if (expected.output) {
    const shown = { ...(podCIDR && { podCIDR }), ...(podCIDRs && { podCIDRs }) }
    expect(shown).toEqual(expected.output)
  }
}

const admission: Run = async (place, given, expected) => {
  const reply = await place.call('POST', NODES, { body: given.object })
  expect(reply.body.spec.taints).toEqual(expected.taints)
}

const selectors: Run = async (place, given, expected) => {
  const path = given.resource === 'nodes' ? NODES : LEASES
  const ask = async (selector: string) =>
    (await place.call('GET', `${path}?fieldSelector=${encodeURIComponent(selector)}`)).status
  if (given.fieldSelector) return expect(await ask(given.fieldSelector)).toBe(expected.status)
  for (const field of expected.fields) expect(await ask(`${field}=x`), field).toBe(200)
  for (const field of ['metadata.uid', 'spec.podCIDR', 'spec.holderIdentity', 'status.phase']) {
    expect(await ask(`${field}=x`), field).toBe(400)
  }
}

const remove: Run = async (place, given, expected) => {
  const path = `${NODES}/${nameIn(given)}`
  const version = given.old ? await plant(place, 'nodes', given.old) : '0'
  const body = translatedOptions(given.options, given.old ?? undefined, version)
  const reply = await place.call('DELETE', path, { body })
  compareStatus(reply, expected)
  if (expected.deleted === undefined) return
  expect((await place.call('GET', path)).status).toBe(expected.deleted ? 404 : 200)
}

const RUNS = {
  create,
  update: put(''),
  status: put('/status'),
  podCIDRSync,
  admission,
  selectors,
  delete: remove,
}

function compareStored(found: Node, { stored = {} }: Expected): void {
  const { conditions, ...rest } = stored
  if (conditions !== undefined) expect(found.status?.conditions).toHaveLength(conditions)
  const members: Record<string, unknown> = { ...found.status, ...found.spec, ...found.metadata }
  for (const [field, value] of Object.entries(rest)) {
    expect(members[field] ?? (value === false ? false : null), field).toEqual(value)
  }
}

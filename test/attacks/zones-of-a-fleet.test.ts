/** Findings 13 and 16: zones that come and go leave no series, and none can break /metrics. */
import { describe, expect, it } from 'vitest'
import {
  METRICS_RECORD,
  type MetricsRecord,
  printMetrics,
} from '../../shared/lifecycle/metrics/catalogue.ts'
import { NODES, node } from '../functions/api/world.ts'
import { SmallFleet } from '../functions/monitor/small-fleet.ts'
import { joinHost, startService } from './service.ts'

const ZONE = 'topology.kubernetes.io/zone'

async function metricsOf(fleet: SmallFleet): Promise<string> {
  await fleet.chores.close()
  return printMetrics((await fleet.store.records.get<MetricsRecord>(METRICS_RECORD))!.value)
}

const zonesIn = (text: string, metric: string) =>
  [...text.matchAll(new RegExp(`^${metric}\\{zone="(.*)"\\}`, 'gm'))].map(([, zone]) => zone)

async function moveTo(fleet: SmallFleet, name: string, zone: string) {
  const believed = (await fleet.node(name))!
  const metadata = { ...believed.object.metadata, labels: { [ZONE]: zone } }
  const object = { ...believed.object, metadata }
  await fleet.must([{ do: 'replaceObject', believed, object, fields: { 'metadata.name': name } }])
}

describe('/metrics', () => {
  it('forgets the zones through which a host wandered', async () => {
    const fleet = new SmallFleet()
    await fleet.addNodes(3, ['home'])
    const [wanderer = ''] = fleet.names
    for (let at = 0; at < 30; at++) {
      await moveTo(fleet, wanderer, `zone-${at}`)
      await fleet.run(15_000, fleet.names)
    }
    const text = await metricsOf(fleet)
    for (const metric of ['node_collector_evictions_total', 'node_collector_zone_size']) {
      expect(zonesIn(text, metric).length).toBeLessThanOrEqual(3)
      expect(zonesIn(text, metric)).toEqual(expect.arrayContaining(['home', 'zone-29']))
    }
  })

  it('shows the 200 largest zones, and fits into an item with the longest names', async () => {
    const fleet = new SmallFleet()
    await fleet.addNodes(2, ['home'])
    for (let at = 0; at < 250; at++) {
      const name = `n${at}`
      const labels = { 'topology.kubernetes.io/region': 'R'.repeat(63) }
      await fleet.addNode(name, 'home', { labels: { ...labels, [ZONE]: `Z${at}`.padEnd(63, 'Z') } })
    }
    await fleet.run(10_000, fleet.names)
    const text = await metricsOf(fleet)
    expect(zonesIn(text, 'node_collector_zone_size')).toHaveLength(200)
    expect(zonesIn(text, 'node_collector_evictions_total')).toHaveLength(200)
    expect(zonesIn(text, 'node_collector_zone_size')).toContain('home')
    expect(Buffer.byteLength(text)).toBeLessThan(350 * 1024)
  })

  it('has no byte that a reader of the text format refuses, whatever a zone is called', async () => {
    const fleet = new SmallFleet()
    const labels = { 'topology.kubernetes.io/region': 'eu', [ZONE]: 'Rack_1' }
    await fleet.addNode('a', 'x', { labels })
    await fleet.run(60_000, [])
    const text = await metricsOf(fleet)
    expect(zonesIn(text, 'node_collector_zone_size')).toEqual([
      expect.stringMatching(/^eu-rack-1-[0-9a-f]{8}$/),
    ])
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there
    expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f]/)
  })
})

it('more zones than a transaction has actions go down and come back together', async () => {
  const fleet = new SmallFleet()
  for (let at = 0; at < 150; at++) await fleet.addNode(`n${at}`, `z${at}`)
  await fleet.run(60_000, fleet.names)
  await fleet.run(120_000, [])
  expect((await fleet.fleetStatus())?.disruption).toBe('entered')
  await fleet.run(30_000, fleet.names)
  for (const name of fleet.names) await fleet.report(name)
  await fleet.run(30_000, fleet.names)
  expect((await fleet.fleetStatus())?.disruption).toBe('none')
})

describe('a fleet with a thousand zones', () => {
  async function crowded() {
    const service = await startService()
    const host = await joinHost(service, 'a')
    for (let at = 0; at < 1_000; at++) {
      const metadata = { name: `z${at}`, uid: `z${at}` }
      const object = { apiVersion: 'leasehold.dev/v1', kind: 'Zone', metadata }
      const fields = { 'metadata.name': metadata.name }
      await service.store.commit([{ do: 'createObject', resource: 'zones', object, fields }])
    }
    const move = (zone: string, as: string, name = 'a') =>
      service.call('PATCH', `${NODES}/${name}`, {
        as,
        body: { metadata: { labels: { [ZONE]: zone } } },
      })
    return { service, host, move }
  }

  it('gets no further one from a host, by its label or by joining', async () => {
    const { service, host, move } = await crowded()
    const refused = await move('one-more', host.token)
    expect([refused.status, refused.body.message]).toEqual([
      403,
      expect.stringContaining('the fleet has 1000 zones'),
    ])
    expect((await move('z7', host.token)).status).toBe(200)
    await expect(joinHost(service, 'b', {}, { [ZONE]: 'one-more' })).rejects.toThrow()
    expect((await service.call('GET', `${NODES}/b`)).status).toBe(404)
  })

  it('still gets it from an operator', async () => {
    const { service, move } = await crowded()
    expect((await move('one-more', 'operator')).status).toBe(200)
    const body = { ...node('c'), metadata: { name: 'c', labels: { [ZONE]: 'another' } } }
    expect((await service.call('POST', NODES, { body })).status).toBe(201)
  })
})

/** Five thousand nodes, asked for as kubectl and informers ask: in pages of five hundred. */
import { CoreV1Api } from '@kubernetes/client-node'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { nodeName } from '../builders/objects.ts'
import { seedNodes } from '../builders/seeded-fleet.ts'
import { type CountedSystem, startCounted } from '../local-system/counted.ts'
import { kubeConfigFor } from './client-node.ts'

const FLEET = 5_000
const PAGE = 500
const TABLE = 'application/json;as=Table;v=v1;g=meta.k8s.io'
const everyName = Array.from({ length: FLEET }, (_, at) => nodeName(at))

let system: CountedSystem
beforeAll(async () => {
  system = await startCounted()
  await seedNodes(system.store, Date.now, FLEET)
})
afterAll(() => system?.stop())

describe(`a list of ${FLEET} nodes`, () => {
  it('reads for each page about as much as it shows', async () => {
    const names: string[] = []
    let token = ''
    do {
      system.usage.length = 0
      const query = `limit=${PAGE}${token && `&continue=${encodeURIComponent(token)}`}`
      const sent = { headers: { accept: TABLE } }
      const { status, body } = await system.http.call('GET', `/api/v1/nodes?${query}`, sent)
      expect(status).toBe(200)
      names.push(...body.rows.map((row: { cells: string[] }) => row.cells[0]))
      const items = system.usage.reduce((sum, each) => sum + each.items, 0)
      // Sixteen shards, each asked for its share and a little more, and once again where names fell
      // unevenly.
      expect(items).toBeGreaterThanOrEqual(body.rows.length)
      expect(items).toBeLessThan(2 * PAGE)
      token = body.metadata.continue ?? ''
    } while (token)
    expect(names).toEqual(everyName)
  })

  it('is whole for client-node, page by page and at once', async () => {
    const core = kubeConfigFor(system).makeApiClient(CoreV1Api)
    const names: (string | undefined)[] = []
    let _continue: string | undefined
    do {
      const { items, metadata } = await core.listNode({ limit: PAGE, _continue })
      names.push(...items.map((node) => node.metadata?.name))
      _continue = metadata?._continue
    } while (_continue)
    expect(names).toEqual(everyName)
    const whole = await core.listNode()
    expect(whole.items.map((node) => node.metadata?.name)).toEqual(everyName)
  })

  it('goes on where it was while nodes come and go', async () => {
    const first = await system.http.call('GET', `/api/v1/nodes?limit=${PAGE}`)
    await system.http.call('DELETE', `/api/v1/nodes/${nodeName(PAGE)}`)
    await system.http.call('DELETE', `/api/v1/nodes/${nodeName(0)}`)
    const token = encodeURIComponent(first.body.metadata.continue)
    const next = await system.http.call('GET', `/api/v1/nodes?limit=2&continue=${token}`)
    const names = next.body.items.map((node: { metadata: { name: string } }) => node.metadata.name)
    expect(names).toEqual([nodeName(PAGE + 1), nodeName(PAGE + 2)])
    expect(next.body.metadata.resourceVersion).toBe(first.body.metadata.resourceVersion)
  })
})

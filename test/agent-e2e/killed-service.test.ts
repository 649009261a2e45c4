/**
 * The whole service is killed in the middle of a zone outage and started again on its data: what was
 * being counted down goes on where it was, and the zone's bucket gives nothing away.
 */
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { httpTransport, type Transport } from '../../agent/http.ts'
import { heartbeat } from '../../agent/lease/schedule.ts'
import { adminToken } from '../../local/admin-kubeconfig.ts'
import { dataFolder } from '../../local/data-folder.ts'
import { type SimulatedFleet, startFleet } from '../../local/hosts/simulated-fleet.ts'
import type { Node, Pod } from '../../shared/kube/objects.ts'
import { endProcess, newBootstrapToken, startLocalProcess } from '../local-system/child-process.ts'

const GRACE_MS = 4_000
const WITHIN_MS = 40_000
const looking = { timeout: WITHIN_MS, interval: 200 }
/** Of the zone that goes silent: one node every two seconds. */
const RATE = 0.5
const settings = [
  ...['--node-monitor-grace-period', `${GRACE_MS}ms`, '--node-monitor-period', '500ms'],
  ...['--node-eviction-rate', String(RATE), '--node-eviction-settle', '500ms'],
]
const folder = mkdtempSync(join(tmpdir(), 'leasehold-killed-'))
const data = dataFolder(folder)
let port = 0
let service: ChildProcess
let fleet: SimulatedFleet
let transport: Transport
let token = ''

async function startService(): Promise<void> {
  const started = startLocalProcess(folder, '--port', String(port), ...settings)
  service = started.child
  await started.address()
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const { port: free } = probe.address() as { port: number }
  probe.close()
  await once(probe, 'close')
  return free
}

async function read<T>(path: string): Promise<T> {
  const { code, body } = await transport.exchange({ method: 'GET', path }, token)
  if (code !== 200) throw new Error(`${path}: ${code}`)
  return body as T
}

const evicting = ({ spec }: Node) => spec?.taints?.find(({ effect }) => effect === 'NoExecute')

async function taintedNodes(): Promise<Map<string, string>> {
  const { items } = await read<{ items: Node[] }>('/api/v1/nodes')
  const tainted = items.filter((node) => evicting(node) !== undefined)
  return new Map(tainted.map((node) => [node.metadata.name ?? '', evicting(node)?.timeAdded ?? '']))
}

const dueOf = (pod: Pod) => pod.metadata.annotations?.['leasehold.dev/evict-at']

beforeAll(async () => {
  port = await freePort()
  await startService()
  token = await adminToken(data, Date.now())
  const ca = readFileSync(data.caCert, 'utf8')
  const server = `https://127.0.0.1:${port}`
  transport = httpTransport({ server, ca })
  fleet = await startFleet({
    nodes: 9,
    zones: 3,
    bootstrapToken: newBootstrapToken(folder),
    stateFolder: undefined,
    transport: httpTransport({ server, ca, maxSockets: 16 }),
    settings: { heartbeat: heartbeat({ nodeLeaseDurationSeconds: 4 }), graceMs: GRACE_MS },
  })
  await vi.waitUntil(async () => (await readyCount()) === 9, looking)
})

afterAll(async () => {
  await fleet?.stop()
  await endProcess(service)
  rmSync(folder, { recursive: true, force: true })
})

async function readyCount(): Promise<number> {
  const { items } = await read<{ items: Node[] }>('/api/v1/nodes')
  const isReady = ({ status }: Node) =>
    status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True')
  return items.filter(isReady).length
}

/** On the first host of zone-b, with a minute of patience. */
async function addPod(): Promise<void> {
  const patient = { operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 60 }
  const spec = {
    nodeName: 'host-2',
    containers: [{ name: 'work', image: 'work' }],
    tolerations: [patient],
  }
  const body = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'work' }, spec }
  const path = '/api/v1/namespaces/default/pods'
  expect((await transport.exchange({ method: 'POST', path, body }, token)).code).toBe(201)
}

it('goes on counting where it was', async () => {
  await addPod()
  await fleet.control('stop', 'zone-b')
  const pod = () => read<Pod>('/api/v1/namespaces/default/pods/work')
  const isCounted = async () =>
    (await taintedNodes()).has('host-2') && dueOf(await pod()) !== undefined
  await vi.waitUntil(isCounted, looking)
  const [before, due] = [await taintedNodes(), dueOf(await pod())]

  await endProcess(service, 'SIGKILL')
  await startService()
  const everyTaint = async () => {
    const now = await taintedNodes().catch(() => new Map<string, string>())
    return now.size === 3 ? now : undefined
  }
  const after = await vi.waitUntil(everyTaint, looking)

  for (const [name, since] of before) expect(after.get(name)).toBe(since)
  expect(dueOf(await pod())).toBe(due)
  expect([...after.keys()].sort()).toEqual(['host-2', 'host-5', 'host-8'])
  // Stamps are whole seconds, so two of them may look a second nearer than they were.
  const stamps = [...after.values()].map((stamp) => Date.parse(stamp)).sort((a, b) => a - b)
  const gaps = stamps.slice(1).map((stamp, at) => stamp - (stamps[at] ?? 0))
  expect(Math.min(...gaps)).toBeGreaterThanOrEqual(1000 / RATE - 1000)
})

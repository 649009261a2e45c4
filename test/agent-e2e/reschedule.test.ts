/** Work moves: what is evicted in one zone runs in another, in local mode as a person tries it. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { ServiceRequest } from '../../agent/client.ts'
import { httpTransport, type Transport } from '../../agent/http.ts'
import { adminToken } from '../../local/admin-kubeconfig.ts'
import { dataFolder } from '../../local/data-folder.ts'
import type { Event, Pod } from '../../shared/kube/objects.ts'
import { eventually } from '../eventually.ts'
import { endProcess, type LocalProcess, startLocalProcess } from '../local-system/child-process.ts'

const WITHIN_MS = 50_000
const PODS = '/api/v1/namespaces/default/pods'
const QUICK = [
  ...['--node-monitor-grace-period', '3s', '--node-monitor-period', '500ms'],
  ...['--node-eviction-settle', '500ms', '--node-eviction-rate', '5'],
  ...['--default-unreachable-toleration-seconds', '1'],
]
const folder = mkdtempSync(join(tmpdir(), 'leasehold-moves-'))
const data = dataFolder(folder)
let service: LocalProcess
let transport: Transport
let token = ''

beforeAll(async () => {
  service = startLocalProcess(folder, '--nodes', '4', '--zones', '2', '--reschedule', ...QUICK)
  const server = await service.address()
  transport = httpTransport({ server, ca: readFileSync(data.caCert, 'utf8') })
  token = await adminToken(data, Date.now())
})
afterAll(async () => {
  await endProcess(service.child)
  rmSync(folder, { recursive: true })
})

const call = (request: ServiceRequest) => transport.exchange(request, token)
async function list<T>(path: string): Promise<readonly T[]> {
  const { body } = await call({ method: 'GET', path })
  return (body as { items: readonly T[] }).items
}
const isRunning = ({ status }: Pod) => status?.phase === 'Running'

it('the pod of a host that fell silent runs in another zone, bound and confirmed', async () => {
  const runs = async (count: number) => (await list<Pod>(PODS)).filter(isRunning).length === count
  await eventually('every host runs its pod', () => runs(4), WITHIN_MS)
  const stop = ['local/hosts/main.ts', 'stop', 'local.zone-a', '--data', folder]
  execFileSync(process.execPath, stop, { stdio: 'pipe' })
  const successors = async () =>
    (await list<Pod>(PODS)).filter(({ metadata }) => /-m[0-9a-f]{8}$/.test(metadata.name ?? ''))
  const areRunning = async () => (await successors()).filter(isRunning).length === 2
  await eventually('what they ran runs elsewhere', areRunning, WITHIN_MS)
  const nodes = (await successors()).map(({ spec }) => spec?.nodeName)
  expect(nodes.filter((name) => name !== 'host-2' && name !== 'host-4')).toEqual([])
})

it('a pod that nothing schedules is told so, with the command that binds it', async () => {
  const body = { metadata: { name: 'web' }, spec: { containers: [{ name: 'main', image: 'x' }] } }
  expect((await call({ method: 'POST', path: PODS, body })).code).toBe(201)
  let said: Event | undefined
  const isTold = async () => {
    const events = await list<Event>('/api/v1/namespaces/default/events')
    said = events.find(({ reason }) => reason === 'FailedScheduling')
    return said !== undefined
  }
  await eventually('an Event tells', isTold, WITHIN_MS)
  expect(said).toMatchObject({ type: 'Warning', involvedObject: { kind: 'Pod', name: 'web' } })
  const [, target = '', path = ''] = /echo '(.*)' \| kubectl create --raw (\S+) -f -$/.exec(
    said?.message ?? '',
  )!
  const binding = JSON.parse(target.replace('NODE', 'host-2'))
  expect((await call({ method: 'POST', path, body: binding })).code).toBe(201)
  const isBound = async () => {
    const { body: found } = await call({ method: 'GET', path: `${PODS}/web` })
    return isRunning(found as Pod)
  }
  await eventually('it runs there', isBound, WITHIN_MS)
})

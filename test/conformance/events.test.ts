/**
 * A host with pods falls silent and comes back: `kubectl get events` shows what Kubernetes would, as
 * a list. Events of source `leasehold` are ours and no part of the comparison.
 */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Event } from '../../shared/kube/objects.ts'
import { eventually } from '../eventually.ts'
import { type InProcessSystem, startInProcess } from '../local-system/in-process.ts'
import { oldestAndNewest } from './kubectl/binaries.ts'

const NODES = '/api/v1/nodes'
const PODS = '/api/v1/namespaces/default/pods'
const LEASES = '/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases'
const MERGE = 'application/merge-patch+json'
const GRACE = ['--node-monitor-grace-period', '4s', '--node-monitor-period', '1s']
const EVICT = ['--node-eviction-settle', '0s', '--node-eviction-rate', '100']

let system: InProcessSystem
let beating: NodeJS.Timeout
const alive = new Set(['calm', 'lost'])
beforeAll(async () => {
  system = await startInProcess(...GRACE, ...EVICT)
  beating = setInterval(() => void Promise.all([...alive].map(beat)).catch(() => {}), 500)
})
afterAll(async () => {
  clearInterval(beating)
  await system?.stop()
})

const now = () => new Date().toISOString()

async function call(method: string, path: string, body: object, type?: string): Promise<void> {
  const { status, text } = await system.http.call(method, path, { body, ...(type && { type }) })
  expect(status, text).toBeLessThan(300)
}

const beat = (name: string) =>
  call('PATCH', `${LEASES}/${name}`, { spec: { renewTime: now().replace('Z', '000Z') } }, MERGE)

function report(name: string, status: 'True' | 'False'): Promise<void> {
  const time = `${now().slice(0, 19)}Z`
  const ready = { type: 'Ready', status, lastHeartbeatTime: time, lastTransitionTime: time }
  return call('PATCH', `${NODES}/${name}/status`, { status: { conditions: [ready] } }, MERGE)
}

async function join(name: string): Promise<void> {
  await call('POST', NODES, { apiVersion: 'v1', kind: 'Node', metadata: { name } })
  const spec = {
    holderIdentity: name,
    leaseDurationSeconds: 40,
    renewTime: now().replace('Z', '000Z'),
  }
  const lease = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { name }, spec }
  await call('POST', LEASES, lease)
  await report(name, 'True')
}

async function addPod(name: string, tolerationSeconds: number): Promise<void> {
  const tolerations = ['not-ready', 'unreachable'].map((key) => ({
    key: `node.kubernetes.io/${key}`,
    operator: 'Exists',
    effect: 'NoExecute',
    tolerationSeconds,
  }))
  const spec = { nodeName: 'lost', containers: [{ name: 'c', image: 'i' }], tolerations }
  await call('POST', PODS, { apiVersion: 'v1', kind: 'Pod', metadata: { name }, spec })
  const conditions = [{ type: 'Ready', status: 'True' }]
  await call('PATCH', `${PODS}/${name}/status`, { status: { phase: 'Running', conditions } }, MERGE)
}

const line = ({ source, type, reason, involvedObject, message, count }: Event) =>
  [
    `${source?.component}: ${type} ${reason}`,
    `${involvedObject.kind}/${involvedObject.name}`,
    `${message} (${count})`,
  ].join(' ')

/** Not `execFileSync`: the server is in this process. */
async function eventsOf(kubectl: string): Promise<readonly string[]> {
  const args = ['--kubeconfig', system.kubeconfig, 'get', 'events', '-A', '-o', 'json']
  const { items } = JSON.parse((await promisify(execFile)(kubectl, args)).stdout)
  const theirs = (items as Event[]).filter(({ source }) => source?.component !== 'leasehold')
  return theirs.map(line).toSorted()
}

const hasEvent = (text: string) => async () =>
  (await system.http.call('GET', '/api/v1/events')).text.includes(text)

it('shows exactly the Events of Kubernetes', async ({ skip }) => {
  const [kubectl] = await oldestAndNewest()
  skip(!kubectl, 'no kubectl here: install kubernetes-client')
  await join('calm')
  await join('lost')
  await addPod('hasty', 1)
  await addPod('patient', 3_600)
  // What a host says of itself is no news of the controllers.
  await report('calm', 'False')
  await report('calm', 'True')

  alive.delete('lost')
  await eventually(
    'the hasty pod is evicted',
    hasEvent('Marking for deletion Pod default/hasty'),
    30_000,
  )
  alive.add('lost')
  await report('lost', 'True')
  await eventually(
    'the patient pod may stay',
    hasEvent('Cancelling deletion of Pod default/patient'),
    30_000,
  )

  expect(await eventsOf(kubectl!.path)).toEqual([
    'node-controller: Normal NodeNotReady Node/lost Node lost status is now: NodeNotReady (1)',
    'node-controller: Normal RegisteredNode Node/calm Node calm event: Registered Node calm in Controller (1)',
    'node-controller: Normal RegisteredNode Node/lost Node lost event: Registered Node lost in Controller (1)',
    'node-controller: Warning NodeNotReady Pod/hasty Node is not ready (1)',
    'node-controller: Warning NodeNotReady Pod/patient Node is not ready (1)',
    'taint-eviction-controller: Normal TaintManagerEviction Pod/hasty Marking for deletion Pod default/hasty (1)',
    'taint-eviction-controller: Normal TaintManagerEviction Pod/patient Cancelling deletion of Pod default/patient (1)',
  ])
  expect(system.errors).toEqual([])
}, 120_000)

/**
 * Nodes as kubelets keep them: the holder of their lease is the bare node name, and their status is
 * reported once. What runs there nobody asks.
 */
import type { Answered, HttpsClient } from '../../local-system/https-client.ts'

const BEAT_MS = 5_000
const LEASES = '/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases'

export async function startPlainNodes(http: HttpsClient, names: readonly string[]) {
  const owners = await Promise.all(names.map((name) => register(http, name)))
  const beatAll = () => Promise.all(names.map((name, at) => beat(http, name, owners[at]!)))
  await beatAll()
  // A beat that fails shows as a node that is Unknown, and as a failure of the suite.
  const timer = setInterval(() => void beatAll().catch(() => {}), BEAT_MS)
  return { stop: () => clearInterval(timer) }
}

async function register(http: HttpsClient, name: string): Promise<string> {
  const now = new Date().toISOString().replace(/\.\d+Z/, 'Z')
  const ready = { type: 'Ready', status: 'True', reason: 'KubeletReady', message: 'ready' }
  const status = {
    conditions: [{ ...ready, lastHeartbeatTime: now, lastTransitionTime: now }],
    capacity: { cpu: '2', memory: '4Gi', pods: '110' },
    addresses: [{ type: 'InternalIP', address: '192.0.2.1' }],
  }
  const node = { apiVersion: 'v1', kind: 'Node', metadata: { name }, status }
  const made = taken(await http.call('POST', '/api/v1/nodes', { body: node }))
  return made.body.metadata.uid
}

async function beat(http: HttpsClient, name: string, uid: string): Promise<void> {
  const owner = { apiVersion: 'v1', kind: 'Node', name, uid }
  const renewTime = new Date().toISOString().replace('Z', '000Z')
  const spec = { holderIdentity: name, leaseDurationSeconds: 40, renewTime }
  const path = `${LEASES}/${name}`
  const type = 'application/merge-patch+json'
  const renewed = await http.call('PATCH', path, { body: { spec }, type })
  if (renewed.status !== 404) return void taken(renewed)
  const metadata = { name, namespace: 'kube-node-lease', ownerReferences: [owner] }
  const lease = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata, spec }
  taken(await http.call('POST', LEASES, { body: lease }))
}

function taken(answer: Answered): Answered {
  if (answer.status >= 300) throw new Error(answer.text)
  return answer
}

/** A machine that joins, beats, reports and runs pods, until it does not. */
import type { Pod } from '../../shared/kube/objects.ts'
import { formatMicroTime, formatTime } from '../../shared/kube/time.ts'
import type { Renewed } from '../../shared/store/ports.ts'
import type { Network } from './network.ts'
import type { Rng } from './rng.ts'
import type { TimeLine } from './time-line.ts'

export interface Host {
  readonly name: string
  readonly zone: string
  /** Says that it runs pods and so can confirm their end. */
  readonly runsPods: boolean
  /** Its clock minus the truth, which must not matter. */
  skewMs: number
  isUp: boolean
  /** What it says of itself. */
  isReady: boolean
  uid: string | undefined
  /** Raised when it dies, so that what was under way in its last life ends. */
  life: number
  inbox: number
  declaredAtMs: number
  isReporting: boolean
}

export interface HostParts {
  readonly time: TimeLine
  readonly rng: Rng
  readonly network: Network
  readonly beatMs: number
}

const STATUS_EVERY_MS = 300_000
const RETRY_MS = 5_000

const NODES = '/api/v1/nodes'
const LEASES = '/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases'

export function newHost(name: string, zone: string, rng: Rng): Host {
  return {
    name,
    zone,
    runsPods: rng.chance(0.7),
    skewMs: rng.chance(0.3) ? rng.between(-86_400_000, 86_400_000) : rng.between(-500, 500),
    isUp: false,
    isReady: true,
    uid: undefined,
    life: 0,
    inbox: 0,
    declaredAtMs: 0,
    isReporting: false,
  }
}

export function wake(parts: HostParts, host: Host): void {
  if (host.isUp) return
  host.isUp = true
  host.life += 1
  void join(parts, host)
}

export function die(host: Host): void {
  host.isUp = false
  host.life += 1
}

const as = ({ name, uid }: Host) => `node ${name}${uid ? ` ${uid}` : ''}`

/** Once more after a while, if it is still the same life. */
function again({ time }: HostParts, host: Host, act: () => void, delayMs = RETRY_MS): void {
  const { life } = host
  time.after(delayMs, () => {
    if (host.life === life) act()
  })
}

// ---- joining ------------------------------------------------------------------------------------

async function join(parts: HostParts, host: Host): Promise<void> {
  const { life } = host
  const { network } = parts
  host.uid = undefined
  const found = await network.ask(host, as(host), { method: 'GET', path: `${NODES}/${host.name}` })
  const made =
    found?.status === 404
      ? await network.ask(host, as(host), { method: 'POST', path: NODES, body: nodeOf(host) })
      : found
  if (host.life !== life) return
  if (!made || made.status >= 300) return again(parts, host, () => void join(parts, host))
  host.uid = made.body.metadata.uid
  const { time } = parts
  const body = leaseOf(host, time.nowMs())
  const leased = await network.ask(host, as(host), { method: 'POST', path: LEASES, body })
  if (host.life !== life) return
  if (!leased || (leased.status >= 300 && leased.status !== 409)) {
    return again(parts, host, () => void join(parts, host))
  }
  void report(parts, host)
  beat(parts, host)
}

const nodeOf = ({ name, zone, runsPods }: Host) => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: {
    name,
    labels: { 'topology.kubernetes.io/zone': zone },
    ...(runsPods && { annotations: { 'agent.leasehold.dev/pods': 'true' } }),
  },
})

const leaseOf = ({ name, uid, skewMs }: Host, nowMs: number) => ({
  apiVersion: 'coordination.k8s.io/v1',
  kind: 'Lease',
  metadata: {
    name,
    ownerReferences: [{ apiVersion: 'v1', kind: 'Node', name, uid }],
  },
  spec: {
    holderIdentity: name,
    leaseDurationSeconds: 40,
    renewTime: formatMicroTime((nowMs + skewMs) * 1_000),
  },
})

// ---- beating ------------------------------------------------------------------------------------

function beat(parts: HostParts, host: Host): void {
  const { time, rng, network, beatMs } = parts
  const renewTime = formatMicroTime(Math.floor((time.nowMs() + host.skewMs) * 1_000))
  const { life } = host
  network.beat(host, renewTime, (renewed) => {
    if (host.life === life) hear(parts, host, renewed)
  })
  again(parts, host, () => beat(parts, host), beatMs * rng.between(0.98, 1.04))
}

function hear(parts: HostParts, host: Host, renewed: Renewed): void {
  if (renewed.kind === 'missing' || renewed.kind === 'foreignOwner') {
    host.life += 1
    again(parts, host, () => void join(parts, host))
  }
  if (renewed.kind !== 'renewed') return
  const { inbox, declaredAtMs = 0 } = renewed.lease
  if (declaredAtMs !== host.declaredAtMs) void report(parts, host, declaredAtMs)
  if (inbox !== host.inbox) void tidy(parts, host, inbox)
}

// ---- reporting ----------------------------------------------------------------------------------

/** Its whole status; then again in five minutes, or soon if it did not get through. */
export async function report(
  parts: HostParts,
  host: Host,
  declaredAtMs = host.declaredAtMs,
): Promise<void> {
  if (host.isReporting) return
  host.isReporting = true
  const { life } = host
  const body = { status: { conditions: conditionsOf(host, parts.time.nowMs()) } }
  const path = `${NODES}/${host.name}/status`
  const type = 'application/strategic-merge-patch+json'
  const reply = await parts.network.ask(host, as(host), { method: 'PATCH', path, body, type })
  host.isReporting = false
  if (host.life !== life) return
  if (reply?.status === 200) host.declaredAtMs = declaredAtMs
  const delayMs = reply?.status === 200 ? STATUS_EVERY_MS * parts.rng.between(0.9, 1.1) : RETRY_MS
  again(parts, host, () => void report(parts, host), delayMs)
}

function conditionsOf({ isReady, skewMs }: Host, nowMs: number) {
  const now = formatTime(nowMs + skewMs)
  const one = (type: string, status: string) => ({
    type,
    status,
    reason: 'Said',
    message: '',
    lastHeartbeatTime: now,
    lastTransitionTime: now,
  })
  const pressures = ['MemoryPressure', 'DiskPressure', 'PIDPressure'].map((type) =>
    one(type, 'False'),
  )
  return [one('Ready', isReady ? 'True' : 'False'), ...pressures]
}

// ---- pods ---------------------------------------------------------------------------------------

/** Ends the pods that are to end, and says so. */
async function tidy({ network }: HostParts, host: Host, inbox: number): Promise<void> {
  host.inbox = inbox
  if (!host.runsPods) return
  const { life } = host
  const path = `/api/v1/pods?fieldSelector=spec.nodeName%3D${host.name}`
  const reply = await network.ask(host, as(host), { method: 'GET', path })
  if (reply?.status !== 200) {
    host.inbox = -1
    return
  }
  for (const { metadata } of reply.body.items as Pod[]) {
    if (!metadata.deletionTimestamp || host.life !== life) continue
    const pod = `/api/v1/namespaces/${metadata.namespace}/pods/${metadata.name}`
    const body = { apiVersion: 'v1', kind: 'DeleteOptions', gracePeriodSeconds: 0 }
    await network.ask(host, as(host), { method: 'DELETE', path: pod, body })
  }
}

/** Between hosts and the service: lossy, slow, repeating, out of order, cut off by zone. */
import type { Renewed, StoredLease } from '../../shared/store/ports.ts'
import type { FaultOf } from '../store-doubles/faulty-store.ts'
import type { ApiProcess, ApiReply, ApiRequest } from './api-process.ts'
import type { Faults } from './faults.ts'
import type { Host } from './host.ts'
import type { Rng } from './rng.ts'
import type { TimeLine } from './time-line.ts'

export interface Network {
  /** Undefined: nothing came back in time. */
  readonly ask: (host: Host, as: string, request: ApiRequest) => Promise<ApiReply | undefined>
  /** A renewal. `hear` is called when an answer gets back. */
  readonly beat: (host: Host, renewTime: string, hear: (renewed: Renewed) => void) => void
}

export interface NetworkParts {
  readonly time: TimeLine
  readonly rng: Rng
  readonly faults: Faults
  readonly apis: readonly ApiProcess[]
  readonly faultOf: FaultOf
  /** By name: the store refuses the beats of these hosts. */
  readonly refusedHosts: ReadonlySet<string>
  /** Beats go through the whole api, and not only through the one store call it makes of them. */
  readonly isWhole: boolean
}

export function network(parts: NetworkParts): Network {
  const { time, rng, faults, apis } = parts
  const isLost = ({ zone }: Host) => faults.cutZones.has(zone) || rng.chance(faults.lossRate)
  const delayMs = () => (faults.maxDelayMs === 0 ? 0 : rng.between(0, faults.maxDelayMs))
  const travel = async (host: Host) => {
    await time.sleep(2 + delayMs())
    return !isLost(host)
  }

  return {
    async ask(host, as, request) {
      if (!(await travel(host))) return undefined
      const api = rng.pick(apis)
      const answer = api.call(as, request)
      if (rng.chance(faults.duplicateRate)) void repeat(parts, api, as, request)
      const reply = await answer
      return (await travel(host)) ? reply : undefined
    },
    beat(host, renewTime, hear) {
      if (isLost(host)) return
      const copies = rng.chance(faults.duplicateRate) ? 2 : 1
      for (let copy = 0; copy < copies; copy += 1) {
        const arrive = () => void renew(parts, host, renewTime).then((it) => it && hear(it))
        const lateMs = delayMs()
        if (lateMs === 0) arrive()
        else time.after(lateMs, arrive)
      }
    },
  }
}

async function repeat(
  { time, rng }: NetworkParts,
  api: ApiProcess,
  as: string,
  request: ApiRequest,
) {
  await time.sleep(rng.between(1, 3_000))
  await api.call(as, request)
}

async function renew(
  parts: NetworkParts,
  host: Host,
  renewTime: string,
): Promise<Renewed | undefined> {
  const api = parts.rng.pick(parts.apis)
  if (parts.refusedHosts.has(host.name)) {
    api.refuse(host.name, host.uid)
    return undefined
  }
  if (parts.isWhole) return await renewByApi(api, host, renewTime)
  const key = { namespace: 'kube-node-lease', name: host.name }
  const ownerUid = host.uid && { ownerUid: host.uid }
  const fault = parts.faultOf('leases.renew')
  const isDone = fault === 'none' || fault === 'lost'
  const spec = { holderIdentity: host.name, renewTime }
  const renewed = isDone ? await api.beats.renew({ key, spec, ...ownerUid }) : undefined
  if (fault === 'none') return renewed
  api.refuse(host.name, host.uid)
  return undefined
}

const LEASES = '/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases'

async function renewByApi(
  api: ApiProcess,
  { name, uid }: Host,
  renewTime: string,
): Promise<Renewed | undefined> {
  const { status, headers } = await api.call(`node ${name}${uid ? ` ${uid}` : ''}`, {
    method: 'PATCH',
    path: `${LEASES}/${name}`,
    body: { spec: { holderIdentity: name, renewTime } },
    type: 'application/merge-patch+json',
  })
  if (status === 404 || status === 403) return { kind: 'missing' }
  if (status !== 200) return undefined
  const lease = {
    inbox: Number(headers.get('leasehold-inbox') ?? 0),
    declaredAtMs: Number(headers.get('leasehold-declared') ?? 0),
  }
  return { kind: 'renewed', lease: lease as StoredLease }
}

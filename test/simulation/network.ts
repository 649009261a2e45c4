/** Between hosts and the service: lossy, slow, repeating, out of order, cut off by zone. */
import type { Renewed, StoredLease } from '../../shared/store/ports.ts'
import type { Decide } from '../faults/faulty-store.ts'
import type { Dice } from './dice.ts'
import type { Ask, Door, Reply } from './door.ts'
import type { Host } from './host.ts'
import type { TimeLine } from './time-line.ts'
import type { Weather } from './weather.ts'

export interface Network {
  /** Undefined: nothing came back in time. */
  readonly ask: (host: Host, as: string, request: Ask) => Promise<Reply | undefined>
  /** A renewal. `hear` is called when an answer gets back. */
  readonly beat: (host: Host, renewTime: string, hear: (renewed: Renewed) => void) => void
}

export interface NetworkParts {
  readonly time: TimeLine
  readonly dice: Dice
  readonly weather: Weather
  readonly doors: readonly Door[]
  readonly mood: Decide
  /** Beats go through the whole api, and not only through the one store call it makes of them. */
  readonly isWhole: boolean
}

export function network(parts: NetworkParts): Network {
  const { time, dice, weather, doors } = parts
  const isLost = ({ zone }: Host) => weather.cutZones.has(zone) || dice.chance(weather.lossRate)
  const delayMs = () => (weather.maxDelayMs === 0 ? 0 : dice.between(0, weather.maxDelayMs))
  const travel = async (host: Host) => {
    await time.sleep(2 + delayMs())
    return !isLost(host)
  }

  return {
    async ask(host, as, request) {
      if (!(await travel(host))) return undefined
      const door = dice.pick(doors)
      const answer = door.call(as, request)
      if (dice.chance(weather.duplicateRate)) void repeat(parts, door, as, request)
      const reply = await answer
      return (await travel(host)) ? reply : undefined
    },
    beat(host, renewTime, hear) {
      if (isLost(host)) return
      const copies = dice.chance(weather.duplicateRate) ? 2 : 1
      for (let copy = 0; copy < copies; copy += 1) {
        const arrive = () => void renew(parts, host, renewTime).then((it) => it && hear(it))
        const lateMs = delayMs()
        if (lateMs === 0) arrive()
        else time.after(lateMs, arrive)
      }
    },
  }
}

async function repeat({ time, dice }: NetworkParts, door: Door, as: string, request: Ask) {
  await time.sleep(dice.between(1, 3_000))
  await door.call(as, request)
}

async function renew(
  parts: NetworkParts,
  host: Host,
  renewTime: string,
): Promise<Renewed | undefined> {
  const door = parts.dice.pick(parts.doors)
  if (parts.isWhole) return await renewByApi(door, host, renewTime)
  const key = { namespace: 'kube-node-lease', name: host.name }
  const ownerUid = host.uid && { ownerUid: host.uid }
  const mood = parts.mood('leases.renew')
  const isDone = mood === 'well' || mood === 'lost'
  const spec = { holderIdentity: host.name, renewTime }
  const renewed = isDone ? await door.beats.renew({ key, spec, ...ownerUid }) : undefined
  if (mood === 'well') return renewed
  door.ownFailure()
  return undefined
}

const LEASES = '/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases'

async function renewByApi(
  door: Door,
  { name, uid }: Host,
  renewTime: string,
): Promise<Renewed | undefined> {
  const { status, headers } = await door.call(`node ${name}${uid ? ` ${uid}` : ''}`, {
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

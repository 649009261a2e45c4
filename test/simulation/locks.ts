/** Programs that compete for locks, each believing only its own clock. */
import { formatMicroTime } from '../../shared/kube/time.ts'
import type { Dice } from './dice.ts'
import type { Door } from './door.ts'
import type { TimeLine } from './time-line.ts'

const LOCKS = '/apis/coordination.k8s.io/v1/namespaces/default/leases'
const LOCK_NAMES = ['lock-a', 'lock-b']

export interface LockParts {
  readonly time: TimeLine
  readonly dice: Dice
  readonly doors: readonly Door[]
}

export function startRivals(parts: LockParts, count: number): void {
  for (let rival = 1; rival <= count; rival += 1) {
    const again = async () => {
      await act(parts, `rival-${rival}`)
      parts.time.after(parts.dice.between(5_000, 60_000), () => void again())
    }
    parts.time.after(parts.dice.between(0, 60_000), () => void again())
  }
}

/** Renews, takes, gives up or breaks a lock, as the mood takes it. */
async function act({ time, dice, doors }: LockParts, holder: string): Promise<void> {
  const path = `${LOCKS}/${dice.pick(LOCK_NAMES)}`
  const call = (method: string, body?: unknown) =>
    dice.pick(doors).call('rival', { method, path, ...(body !== undefined && { body }) })
  const { status, body } = await call('GET')
  const spec = specOf(holder, time.nowMs() + dice.between(-5_000, 5_000), dice)
  if (status === 404) {
    const metadata = { name: path.slice(LOCKS.length + 1), namespace: 'default' }
    const lease = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata, spec }
    await dice.pick(doors).call('rival', { method: 'POST', path: LOCKS, body: lease })
    return
  }
  if (status !== 200) return
  if (dice.chance(0.03)) await call('DELETE')
  else if (dice.chance(0.1))
    await call('PUT', { ...body, spec: { ...body.spec, holderIdentity: '' } })
  else await call('PUT', { ...body, spec: { ...body.spec, ...spec } })
}

function specOf(holderIdentity: string, nowMs: number, dice: Dice) {
  const renewTime = formatMicroTime(Math.floor(nowMs) * 1_000)
  // What a client sends for the number counts for nothing.
  return { holderIdentity, leaseDurationSeconds: 15, renewTime, leaseTransitions: dice.whole(0, 9) }
}

/** Programs that compete for locks, each believing only its own clock. */
import { formatMicroTime } from '../../shared/kube/time.ts'
import type { ApiProcess } from './api-process.ts'
import type { OnAnswer } from './invariants/answers.ts'
import type { Rng } from './rng.ts'
import type { TimeLine } from './time-line.ts'

const LOCKS = '/apis/coordination.k8s.io/v1/namespaces/default/leases'
const LOCK_NAMES = ['lock-a', 'lock-b']

export interface LockParts {
  readonly time: TimeLine
  readonly rng: Rng
  readonly apis: readonly ApiProcess[]
  readonly onAnswer: OnAnswer
}

export function startRivals(options: LockParts, count: number): void {
  const parts = { ...options, renewTimes: new Set<string>() }
  for (let rival = 1; rival <= count; rival += 1) {
    const again = async () => {
      await act(parts, `rival-${rival}`)
      parts.time.after(parts.rng.between(1_000, 15_000), () => void again())
    }
    parts.time.after(parts.rng.between(0, 60_000), () => void again())
  }
}

interface Rivals extends LockParts {
  /** All that were ever sent: each write has its own. */
  readonly renewTimes: Set<string>
}

/** Renews, takes, labels, gives up or breaks a lock, as the mood takes it. */
async function act(rivals: Rivals, holder: string): Promise<void> {
  const { rng, apis, onAnswer } = rivals
  const name = rng.pick(LOCK_NAMES)
  const call = (method: string, body?: object, path = `${LOCKS}/${name}`) => {
    const type = method === 'PATCH' ? { type: 'application/merge-patch+json' } : {}
    return rng.pick(apis).call('rival', { method, path, ...(body && { body }), ...type })
  }
  const { status, body } = await call('GET')
  const spec = specOf(rivals, holder)
  const { renewTime } = spec
  const write = async (...args: Parameters<typeof call>) =>
    onAnswer(renewTime, (await call(...args)).status)
  if (status === 404) {
    const metadata = { name, namespace: 'default' }
    const lease = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata, spec }
    return await write('POST', lease, LOCKS)
  }
  if (status !== 200) return
  if (rng.chance(0.03)) return void (await call('DELETE'))
  if (rng.chance(0.25))
    return await write('PUT', { ...body, spec: { ...body.spec, holderIdentity: '', renewTime } })
  // Without a version, by whomever it is held: a plain renewal, or a change of more.
  if (rng.chance(0.2)) return await write('PATCH', { spec: { renewTime } })
  const labels = { by: holder }
  if (rng.chance(0.2)) return await write('PATCH', { metadata: { labels }, spec: { renewTime } })
  await write('PUT', { ...body, spec: { ...body.spec, ...spec } })
}

function specOf({ time, rng, renewTimes }: Rivals, holderIdentity: string) {
  let micros = Math.floor((time.nowMs() + rng.between(-5_000, 5_000)) * 1_000)
  while (renewTimes.has(formatMicroTime(micros))) micros += 1
  const renewTime = formatMicroTime(micros)
  renewTimes.add(renewTime)
  // What a client sends for the number counts for nothing.
  return { holderIdentity, leaseDurationSeconds: 15, renewTime, leaseTransitions: rng.whole(0, 9) }
}

/**
 * Leaves on purpose: cordons, says not ready, and gives the lease back. Instant, where falling
 * silent takes a grace.
 */
import type { Lease, Node } from '../shared/kube/objects.ts'
import { formatMicroTime, formatTime } from '../shared/kube/time.ts'
import { type Answer, type Client, outcomeOf } from './client.ts'
import type { Clock } from './clock.ts'
import { leasePath } from './lease-loop.ts'
import type { Log } from './log.ts'
import { LEFT_ANNOTATION } from './node-content.ts'
import { nodePath } from './register.ts'
import { STRATEGIC_MERGE, statusPath } from './status-patch.ts'

/** Each call; the unit gives us thirty seconds in all. */
const CALL_LIMIT_MS = 5_000
const RELEASE_TRIES = 3

export interface Leaving {
  readonly nodeName: string
  readonly holderIdentity: string
  readonly client: Client
  readonly clock: Clock
  readonly log: Log
}

/** Beats must have stopped before: one after this would undo it. */
export async function leave(leaving: Leaving): Promise<void> {
  // What was kept open may have died unnoticed, and there is no time to find out.
  leaving.client.reset()
  const steps = { cordon, sayNotReady, release }
  for (const [name, step] of Object.entries(steps)) {
    const answer = await step(leaving)
    if (!answer || outcomeOf(answer) === 'ok') continue
    leaving.log.warn(`leaving: ${name} failed: ${answer.why}; the service will notice by silence`)
  }
}

async function cordon({ client, clock, nodeName }: Leaving): Promise<Answer | undefined> {
  const path = nodePath(nodeName)
  const found = await client.send({ method: 'GET', path, timeoutMs: CALL_LIMIT_MS })
  if (outcomeOf(found) !== 'ok') return found
  // Somebody else's cordon is not ours to undo when we come back.
  if ((found.body as Node).spec?.unschedulable) return undefined
  return client.send({
    method: 'PATCH',
    path,
    body: {
      metadata: { annotations: { [LEFT_ANNOTATION]: formatTime(clock.wallMs()) } },
      spec: { unschedulable: true },
    },
    contentType: 'application/merge-patch+json',
    timeoutMs: CALL_LIMIT_MS,
  })
}

function sayNotReady({ client, clock, nodeName }: Leaving): Promise<Answer> {
  const now = formatTime(clock.wallMs())
  const ready = {
    type: 'Ready',
    status: 'False',
    reason: 'HostLeft',
    message: 'the host has left on purpose',
    lastHeartbeatTime: now,
    lastTransitionTime: now,
  }
  return client.send({
    method: 'PATCH',
    path: statusPath(nodeName),
    body: { status: { conditions: [ready] } },
    contentType: STRATEGIC_MERGE,
    timeoutMs: CALL_LIMIT_MS,
  })
}

async function release(leaving: Leaving): Promise<Answer | undefined> {
  const { client, clock, nodeName, holderIdentity } = leaving
  const path = leasePath(nodeName)
  let answer: Answer | undefined
  for (let attempt = 0; attempt < RELEASE_TRIES; attempt++) {
    answer = await client.send({ method: 'GET', path, timeoutMs: CALL_LIMIT_MS })
    if (outcomeOf(answer) !== 'ok') return answer
    const lease = answer.body as Lease
    if (lease.spec?.holderIdentity !== holderIdentity) return undefined
    const renewTime = formatMicroTime(clock.wallMs() * 1_000)
    const body = { ...lease, spec: { ...lease.spec, holderIdentity: '', renewTime } }
    answer = await client.send({ method: 'PUT', path, body, timeoutMs: CALL_LIMIT_MS })
    if (outcomeOf(answer) !== 'conflict') return answer
  }
  return answer
}

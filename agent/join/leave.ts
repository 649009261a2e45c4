/**
 * `--leave`: cordons the Node, reports it not ready and releases the lease, so that the service
 * need not wait for the grace period.
 */
import type { Lease, Node } from '../../shared/kube/objects.ts'
import { formatMicroTime, formatTime } from '../../shared/kube/time.ts'
import {
  leasePath,
  mergePatch,
  nodePath,
  nodeStatusPath,
  outcomeOf,
  type ServiceClient,
  type ServiceResponse,
  strategicMergePatch,
} from '../client.ts'
import type { AgentClock } from '../clock.ts'
import type { Log } from '../log.ts'
import { LEFT_ANNOTATION } from './node-object.ts'

/** For each request; the systemd unit allows thirty seconds in all. */
const TIMEOUT_MS = 5_000
const RELEASE_TRIES = 3

export interface LeaveOptions {
  readonly nodeName: string
  readonly holderIdentity: string
  readonly client: ServiceClient
  readonly clock: AgentClock
  readonly log: Log
}

/** The lease controller must have stopped before: a beat after this would undo it. */
export async function leave(options: LeaveOptions): Promise<void> {
  // Pooled connections may be dead, and there is no time to find out.
  options.client.reset()
  const client: ServiceClient = {
    ...options.client,
    send: (request) => options.client.send({ ...request, timeoutMs: TIMEOUT_MS }),
  }
  const steps = { cordon, reportNotReady, release }
  for (const [name, step] of Object.entries(steps)) {
    const response = await step({ ...options, client })
    if (!response || outcomeOf(response) === 'ok') continue
    options.log.warn(`leaving: ${name} failed: ${response.why}; the service will notice by silence`)
  }
}

async function cordon(options: LeaveOptions): Promise<ServiceResponse | undefined> {
  const { client, clock, nodeName } = options
  const path = nodePath(nodeName)
  const found = await client.send({ method: 'GET', path })
  if (outcomeOf(found) !== 'ok') return found
  // An operator's cordon must stay when the host returns, so it gets no annotation.
  if ((found.body as Node).spec?.unschedulable) return undefined
  const metadata = { annotations: { [LEFT_ANNOTATION]: formatTime(clock.wallMs()) } }
  return client.send(mergePatch(path, { metadata, spec: { unschedulable: true } }))
}

function reportNotReady({ client, clock, nodeName }: LeaveOptions): Promise<ServiceResponse> {
  const now = formatTime(clock.wallMs())
  const ready = {
    type: 'Ready',
    status: 'False',
    reason: 'HostLeft',
    message: 'the host has left on purpose',
    lastHeartbeatTime: now,
    lastTransitionTime: now,
  }
  const body = { status: { conditions: [ready] } }
  return client.send(strategicMergePatch(nodeStatusPath(nodeName), body))
}

async function release(options: LeaveOptions): Promise<ServiceResponse | undefined> {
  const { client, clock, nodeName, holderIdentity } = options
  const path = leasePath(nodeName)
  let response: ServiceResponse | undefined
  for (let attempt = 0; attempt < RELEASE_TRIES; attempt++) {
    response = await client.send({ method: 'GET', path })
    if (outcomeOf(response) !== 'ok') return response
    const lease = response.body as Lease
    if (lease.spec?.holderIdentity !== holderIdentity) return undefined
    const renewTime = formatMicroTime(clock.wallMs() * 1_000)
    const body = { ...lease, spec: { ...lease.spec, holderIdentity: '', renewTime } }
    response = await client.send({ method: 'PUT', path, body })
    // Outrun, or it may have been released: either way the lease is read again.
    if (outcomeOf(response) !== 'conflict' && response.code !== 504) return response
  }
  return response
}

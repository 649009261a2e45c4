/** `--check`: can the agent run here? Reaches the service and prints what it would send. */
import { nodePath, type ServiceResponse } from './client.ts'
import { holderIdentity, nodeToRegister } from './host.ts'
import { newLease } from './lease/new-lease.ts'
import { renewalTiming } from './lease/schedule.ts'
import type { Program } from './program.ts'

interface PreflightResult {
  readonly isFine: boolean
  readonly text: string
}

export async function preflight({
  host,
  transport,
  credentials,
}: Program): Promise<PreflightResult> {
  const { name: nodeName, settings, clock } = host
  const node = await nodeToRegister(host)
  const timing = renewalTiming(settings.heartbeat, settings.graceMs)
  const config = { ...timing, nodeName, holderIdentity: holderIdentity(host) }
  const owner = { name: nodeName, uid: '<of the Node>' }
  const { lease } = newLease(undefined, config, owner, clock.wallMs())

  const reached = await transport.exchange({ method: 'GET', path: '/version' }, undefined)
  const token = await checkToken(host, transport, credentials)
  const isReached = reached.code !== 0 && reached.code < 500
  const lines = [
    `service: ${isReached ? 'reached' : 'NOT reached'} (${shown(reached)})`,
    `token:   ${token.text}`,
    `beat:    every ${timing.intervalMs / 1_000} s`,
    'would register:',
    JSON.stringify(node, undefined, 2),
    'would beat:',
    JSON.stringify(lease, undefined, 2),
  ]
  return { isFine: isReached && token.isFine, text: `${lines.join('\n')}\n` }
}

async function checkToken(
  { name, log }: Program['host'],
  transport: Program['transport'],
  credentials: Program['credentials'],
): Promise<PreflightResult> {
  const token = await credentials.peek().catch((error: Error) => {
    log.warn(`cannot read the kept token: ${error.message}`)
    return undefined
  })
  if (!token) {
    const text = credentials.canJoin
      ? 'none yet; would join with the bootstrap token'
      : 'NONE, and no bootstrap token to join with: set --bootstrap-token'
    return { isFine: credentials.canJoin, text }
  }
  const response = await transport.exchange({ method: 'GET', path: nodePath(name) }, token)
  const isFine = response.code === 200
  return {
    isFine: isFine || credentials.canJoin,
    text: isFine ? 'accepted' : `NOT accepted (${shown(response)})`,
  }
}

const shown = ({ code, why }: ServiceResponse) => (code === 200 ? 'ok' : why)

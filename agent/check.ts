/**
 * `--check`: is everything there to run? Reaches the service and shows what would be sent, without
 * sending it.
 */
import type { Answer } from './client.ts'
import { wantedNode } from './host.ts'
import { leaseToSend } from './lease-content.ts'
import type { Program } from './program.ts'
import { nodePath } from './register.ts'
import { beatFor } from './schedule.ts'

export interface Checked {
  readonly isFine: boolean
  readonly text: string
}

export async function check({ host, transport, credentials }: Program): Promise<Checked> {
  const { name, machineId, settings, clock } = host
  const node = await wantedNode(host)
  const beat = beatFor(settings.heartbeat, settings.graceMs)
  const wish = { ...beat, nodeName: name, holderIdentity: `${name}_${machineId}` }
  const { lease } = leaseToSend(undefined, wish, { name, uid: '<of the Node>' }, clock.wallMs())

  const reached = await transport.exchange({ method: 'GET', path: '/version' }, undefined)
  const kept = await keptToken(host, transport, credentials)
  const isReached = reached.code !== 0 && reached.code < 500
  const lines = [
    `service: ${isReached ? 'reached' : 'NOT reached'} (${said(reached)})`,
    `token:   ${kept.text}`,
    `beat:    every ${beat.intervalMs / 1_000} s`,
    'would register:',
    JSON.stringify(node, undefined, 2),
    'would beat:',
    JSON.stringify(lease, undefined, 2),
  ]
  return { isFine: isReached && kept.isFine, text: `${lines.join('\n')}\n` }
}

async function keptToken(
  { name, log }: Program['host'],
  transport: Program['transport'],
  credentials: Program['credentials'],
): Promise<Checked> {
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
  const answer = await transport.exchange({ method: 'GET', path: nodePath(name) }, token)
  const isFine = answer.code === 200
  return {
    isFine: isFine || credentials.canJoin,
    text: isFine ? 'accepted' : `NOT accepted (${said(answer)})`,
  }
}

const said = ({ code, why }: Answer) => (code === 200 ? 'ok' : why)

/** `--check`: can the agent run here? Reaches the service and prints what it would send. */
import { access, constants } from 'node:fs/promises'
import { dirname } from 'node:path'
import { nodePath, type ServiceResponse } from './client.ts'
import type { Config } from './config/config.ts'
import { holderIdentity, nodeToRegister } from './host.ts'
import { newLease } from './lease/new-lease.ts'
import { renewalTiming } from './lease/schedule.ts'
import type { Program } from './program.ts'

interface PreflightResult {
  readonly isFine: boolean
  readonly text: string
}

/** Everything is looked at, so that all that is wrong is told in one go. */
export async function preflight(program: Program, config: Config): Promise<PreflightResult> {
  const { host, transport } = program
  const node = await nodeToRegister(host)
  const timing = renewalTiming(host.settings.heartbeat, host.settings.graceMs)
  const owner = { name: host.name, uid: '<of the Node>' }
  const beat = { ...timing, nodeName: host.name, holderIdentity: holderIdentity(host) }
  const { lease } = newLease(undefined, beat, owner, host.clock.wallMs())

  const reached = await transport.exchange({ method: 'GET', path: '/version' }, undefined)
  const isReached = reached.code !== 0 && reached.code < 500
  const findings: readonly Finding[] = [
    [
      'service',
      { isFine: isReached, text: `${isReached ? 'reached' : 'NOT reached'} (${shown(reached)})` },
    ],
    ['token', isReached ? await checkToken(program, config) : NOT_TRIED],
    ['state', await checkAccess(config.stateDir, constants.W_OK, 'can be written')],
    ...(config.checksDir
      ? [['checks', await checkAccess(config.checksDir, constants.R_OK, 'can be read')] as const]
      : []),
    ...(config.pods?.kind === 'hook'
      ? [['pods', await checkAccess(config.pods.program, constants.X_OK, 'can be run')] as const]
      : []),
    ['beat', { isFine: true, text: `every ${timing.intervalMs / 1_000} s` }],
  ]
  const lines = [
    ...findings.map(([what, { text }]) => `${`${what}:`.padEnd(9)}${text}`),
    host.registersNode === false ? 'waits for this Node, and would report:' : 'would register:',
    JSON.stringify(node, undefined, 2),
    'would beat:',
    JSON.stringify(lease, undefined, 2),
  ]
  return { isFine: findings.every(([, { isFine }]) => isFine), text: `${lines.join('\n')}\n` }
}

type Finding = readonly [what: string, result: PreflightResult]

const NOT_TRIED: PreflightResult = { isFine: false, text: 'not tried: the service is not reached' }

/** The kept token, or the one to join with: each is tried where there is one. */
async function checkToken(program: Program, config: Config): Promise<PreflightResult> {
  const { host, credentials } = program
  const kept = await credentials.peek().catch((error: Error) => {
    host.log.warn(`cannot read the kept token: ${error.message}`)
    return undefined
  })
  const own = kept ? await tryToken(program, kept) : undefined
  if (own?.code === 200) return { isFine: true, text: 'accepted' }
  const refused = own ? `NOT accepted (${shown(own)}); ` : 'none yet; '
  if (!config.bootstrapToken) {
    const text = `${refused}and no bootstrap token to join with: set --bootstrap-token`
    return { isFine: false, text: own ? text : text.replace('none yet; ', 'NONE, ') }
  }
  const join = await tryToken(program, config.bootstrapToken)
  const isFine = join.code !== 401 && join.code !== 0 && join.code < 500
  const verdict = isFine ? 'accepted' : `NOT accepted (${shown(join)})`
  return { isFine, text: `${refused}would join with the bootstrap token, which is ${verdict}` }
}

/** Reading the Node uses up nothing: a bootstrap token that is good is told 403, another one 401. */
const tryToken = ({ host, transport }: Program, token: string) =>
  transport.exchange({ method: 'GET', path: nodePath(host.name) }, token)

/** A folder that is not there yet is made when it is needed, if the one above can be written. */
async function checkAccess(path: string, mode: number, can: string): Promise<PreflightResult> {
  const isThere = await access(path).then(
    () => true,
    () => mode !== constants.W_OK,
  )
  try {
    await access(isThere ? path : `${dirname(path)}/.`, mode)
    return { isFine: true, text: `${path} ${can}` }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    return { isFine: false, text: `${path} ${can.replace('can be', 'can NOT be')} (${code})` }
  }
}

const shown = ({ code, why }: ServiceResponse) => (code === 200 ? 'ok' : why)

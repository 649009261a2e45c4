/**
 * The way into the service: the real api, run by processes with clocks and troubles of their own.
 */
import { createApi } from '../../functions/api/app.ts'
import { createDistress } from '../../functions/api/distress.ts'
import { createAdmission } from '../../shared/auth/admission.ts'
import { createAuthorizer } from '../../shared/auth/authorizer.ts'
import type { Authenticator, Identity } from '../../shared/auth/identity.ts'
import type { Leases, Store } from '../../shared/store/ports.ts'
import type { Dice } from './dice.ts'
import { type Process, stampSkewMs } from './process.ts'
import type { TimeLine } from './time-line.ts'

export interface Ask {
  readonly method: string
  readonly path: string
  readonly body?: unknown
  readonly type?: string
}

export interface Reply {
  readonly status: number
  // biome-ignore lint/suspicious/noExplicitAny: callers look into whatever came back
  readonly body: any
  readonly headers: Headers
}

export interface Door {
  readonly process: Process
  /** Leases as this process writes them, without the way there: a beat is one event. */
  readonly beats: Leases
  readonly call: (as: string, request: Ask) => Promise<Reply>
  /** A beat was refused for reasons of our own. */
  readonly ownFailure: () => void
}

export interface DoorParts {
  readonly time: TimeLine
  readonly dice: Dice
  readonly process: Process
  readonly store: Store
  readonly beats: Leases
  readonly uuid: () => string
}

export function openDoor({ time, dice, process, store, beats, uuid }: DoorParts): Door {
  const clock = () => time.nowMs() + process.skewMs
  const ownFailure = createDistress({
    store,
    clock: () => Math.floor(time.nowMs() + stampSkewMs(process)),
    onTrouble: () => {},
  })
  const app = createApi({
    store,
    clock,
    random: dice.random,
    uuid,
    authenticator,
    authorizer: createAuthorizer(),
    admission: createAdmission(
      async (name) => (await store.objects.get('nodes', { namespace: '', name }))?.object,
    ),
    log: () => {},
    onOwnFailure: ownFailure,
  })
  const call = async (as: string, { method, path, body, type }: Ask) => {
    const text = body === undefined ? undefined : JSON.stringify(body)
    const headers = {
      authorization: `Bearer ${as}`,
      ...(text !== undefined && { 'content-type': type ?? 'application/json' }),
    }
    const init = { method, headers, ...(text !== undefined && { body: text }) }
    return await time.track(async () => await replyOf(await app.request(path, init)))
  }
  return { process, beats, call, ownFailure }
}

async function replyOf(response: Response): Promise<Reply> {
  const text = await response.text()
  const { status, headers } = response
  return { status, headers, body: text.startsWith('{') ? JSON.parse(text) : undefined }
}

/** `admin`, or `node NAME UID`; a host that joins has no uid yet. */
const authenticator: Authenticator = {
  async authenticate(authorization = '') {
    return { kind: 'known', identity: identityOf(authorization.slice('Bearer '.length)) }
  },
}

function identityOf(token: string): Identity {
  const [kind, name, nodeUid] = token.split(' ')
  if (kind !== 'node') return { user: token, groups: ['system:masters', 'system:authenticated'] }
  const groups = ['system:nodes', 'system:authenticated']
  return { user: `system:node:${name}`, groups, ...(nodeUid && { nodeUid }) }
}

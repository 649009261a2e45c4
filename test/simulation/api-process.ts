/**
 * The way into the service: the real api, run by processes with clocks and troubles of their own.
 */

import { createFullApi } from '../../functions/api/full-api.ts'
import { refusedBeatReporter } from '../../functions/api/refused-beats.ts'
import { createAdmission } from '../../shared/auth/access/admission.ts'
import { createAuthorizer } from '../../shared/auth/access/authorizer.ts'
import type { Authenticator, Identity } from '../../shared/auth/identity.ts'
import type { Leases, Store } from '../../shared/store/ports.ts'
import { type Process, stampSkewMs } from './process.ts'
import type { Rng } from './rng.ts'
import type { TimeLine } from './time-line.ts'

export interface ApiRequest {
  readonly method: string
  readonly path: string
  readonly body?: unknown
  readonly type?: string
}

export interface ApiReply {
  readonly status: number
  // biome-ignore lint/suspicious/noExplicitAny: callers look into whatever came back
  readonly body: any
  readonly headers: Headers
}

export interface ApiProcess {
  readonly process: Process
  /** Leases as this process writes them, without the way there: a beat is one event. */
  readonly beats: Leases
  readonly call: (as: string, request: ApiRequest) => Promise<ApiReply>
  /** A beat of this host was refused for reasons of our own. */
  readonly refuse: (node: string, uid: string | undefined) => void
}

/** Requests come all the time, and each looks for refusals that are not told yet. */
const FLUSH_MS = 1_000

export interface ApiProcessParts {
  readonly time: TimeLine
  readonly rng: Rng
  readonly process: Process
  readonly store: Store
  readonly beats: Leases
  readonly uuid: () => string
}

export function startApiProcess({
  time,
  rng,
  process,
  store,
  beats,
  uuid,
}: ApiProcessParts): ApiProcess {
  const clock = () => time.nowMs() + process.skewMs
  const stampMs = () => Math.floor(time.nowMs() + stampSkewMs(process))
  const { note, flush } = refusedBeatReporter({
    store,
    clock: stampMs,
    processId: process.name,
    onTrouble: () => {},
  })
  const flushAgain = () => {
    void flush()
    time.after(FLUSH_MS, flushAgain)
  }
  flushAgain()
  const app = createFullApi({
    store,
    clock,
    random: rng.random,
    uuid,
    authenticator,
    authorizer: createAuthorizer(),
    admission: createAdmission(
      async (name) => (await store.objects.get('nodes', { namespace: '', name }))?.object,
    ),
    log: () => {},
    onRefusedBeat: note,
  })
  const call = async (as: string, { method, path, body, type }: ApiRequest) => {
    const text = body === undefined ? undefined : JSON.stringify(body)
    const headers = {
      authorization: `Bearer ${as}`,
      ...(text !== undefined && { 'content-type': type ?? 'application/json' }),
    }
    const init = { method, headers, ...(text !== undefined && { body: text }) }
    return await time.track(async () => await replyOf(await app.request(path, init)))
  }
  const refuse = (node: string, uid: string | undefined) =>
    note({ node, atMs: stampMs(), ...(uid !== undefined && { uid }) })
  return { process, beats, call, refuse }
}

async function replyOf(response: Response): Promise<ApiReply> {
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

/**
 * One round of status: compute it, and if there is something to tell, tell it. Up to five tries.
 */
import type { Node } from '../shared/kube/objects.ts'
import { type Answer, type Client, outcomeOf, saysNodeIsGone } from './client.ts'
import { nodePath } from './register.ts'
import { type Computed, computeStatus, type Round } from './status.ts'
import { hasChanged, isDue, type LastReport, nextShiftMs } from './status-change.ts'
import { STRATEGIC_MERGE, statusPatch, statusPath } from './status-patch.ts'

const TRIES = 5

export interface RoundInput {
  readonly round: Round
  /** The Node as the service last showed it to us; absent, it is read first. */
  readonly cached?: Node
  readonly last: LastReport
  readonly reportMs: number
  readonly random: number
  /** Send whatever the cache says: the service has told us, or we fear, that it gave us up. */
  readonly isForced: boolean
  /** Steady time: a wall clock that jumps must neither hold a report back nor hurry it. */
  readonly steadyMs: number
  /** Told to stop, it gives up after the try that is under way. */
  readonly signal?: AbortSignal
}

export interface RoundResult {
  readonly outcome: 'sent' | 'quiet' | 'failed' | 'nodeGone'
  readonly cached?: Node
  readonly last: LastReport
  /** Set when a report got through. */
  readonly reportedAtMs?: number
  readonly computed?: Computed
  readonly why?: string
}

export async function statusRound(client: Client, input: RoundInput): Promise<RoundResult> {
  // What we remember may be what the service has overruled: when forced, look first.
  let cached = input.isForced ? undefined : input.cached
  let last = input.last
  let answer: Answer | undefined
  for (let attempt = 0; attempt < TRIES; attempt++) {
    const tried = await tryOnce(client, { ...input, cached, last })
    if (tried.result) return tried.result
    last = tried.last
    answer = tried.answer
    if (saysNodeIsGone(answer)) return { outcome: 'nodeGone', last, why: answer.why }
    if (attempt > 0) client.reset()
    if (answer.retryAfterMs !== undefined || input.signal?.aborted) break
    cached = undefined
  }
  return { outcome: 'failed', cached: input.cached, last, why: answer?.why }
}

type Tried =
  | { readonly result: RoundResult; readonly answer?: undefined }
  | { readonly result?: undefined; readonly answer: Answer; readonly last: LastReport }

async function tryOnce(client: Client, input: RoundInput): Promise<Tried> {
  const { cached, last } = input
  const before = cached ? { node: cached } : await readNode(client, input.round.settings.nodeName)
  if (!before.node) return { answer: before.answer, last }

  const computed = computeStatus(before.node, input.round)
  const reason = reasonToSend(before.node, computed.node, input)
  if (!reason) return { result: { outcome: 'quiet', cached: before.node, last, computed } }

  const shiftMs = nextShiftMs(reason, input.reportMs, input.random)
  const answer = await sendStatus(client, before.node, computed.node)
  if (outcomeOf(answer) !== 'ok') return { answer, last: { ...last, shiftMs } }
  const atMs = input.steadyMs
  return {
    result: {
      outcome: 'sent',
      cached: answer.body as Node,
      last: { atMs, shiftMs },
      reportedAtMs: atMs,
      computed,
    },
  }
}

function reasonToSend(before: Node, after: Node, input: RoundInput) {
  if (input.last.atMs === undefined) return 'first'
  if (input.isForced || isNodeChanged(before, after)) return 'changed'
  return isDue(input.last, input.reportMs, input.steadyMs) ? 'due' : undefined
}

const isNodeChanged = (before: Node, after: Node): boolean =>
  before.metadata !== after.metadata || hasChanged(before.status, after.status)

async function readNode(client: Client, name: string) {
  const answer = await client.send({ method: 'GET', path: nodePath(name) })
  return outcomeOf(answer) === 'ok' ? { node: answer.body as Node, answer } : { answer }
}

export function sendStatus(client: Client, before: Node, after: Node): Promise<Answer> {
  return client.send({
    method: 'PATCH',
    path: statusPath(after.metadata.name ?? ''),
    body: statusPatch(before, after),
    contentType: STRATEGIC_MERGE,
  })
}

/**
 * At start the host is looked at every tenth of a second, so that Ready is told the moment it is
 * true.
 */
export const FAST_START = { everyMs: 100, limitMs: 120_000 }

export interface FastStep {
  readonly isDone: boolean
  readonly result?: RoundResult
}

export async function fastStep(client: Client, input: RoundInput): Promise<FastStep> {
  if (input.cached && isReady(input.cached)) return { isDone: true }
  const before = input.cached ?? { metadata: { name: input.round.settings.nodeName } }
  const computed = computeStatus(before, input.round)
  if (!isReady(computed.node)) return { isDone: false }
  const answer = await sendStatus(client, before, computed.node)
  if (outcomeOf(answer) !== 'ok') return { isDone: true, result: await statusRound(client, input) }
  const last = { atMs: input.steadyMs, shiftMs: nextShiftMs('first', input.reportMs, input.random) }
  return {
    isDone: true,
    result: { outcome: 'sent', cached: answer.body as Node, last, computed },
  }
}

const isReady = (node: Node): boolean =>
  node.status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') ??
  false

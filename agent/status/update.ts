/** One update of the node status: compute it and, if there is a reason, send it. Up to five tries. */
import type { Node } from '../../shared/kube/objects.ts'
import {
  nodePath,
  nodeStatusPath,
  outcomeOf,
  type ServiceClient,
  type ServiceResponse,
  saysNodeIsGone,
  strategicMergePatch,
} from '../client.ts'
import { isReportDue, type LastReport, nodeStatusHasChanged, reportDelayMs } from './change.ts'
import { type ComputedStatus, computeNodeStatus, type SetterInput } from './node-status.ts'
import { statusPatch } from './patch.ts'

const TRIES = 5

export interface UpdateInput {
  readonly setterInput: SetterInput
  /** The Node as the service last returned it; absent, it is read first. */
  readonly cached?: Node
  readonly last: LastReport
  readonly reportMs: number
  readonly random: number
  /** Send the full status: the service has declared this host dead, or may have. */
  readonly isForced: boolean
  /** Steady time: a wall clock that jumps must neither delay a report nor hurry it. */
  readonly steadyMs: number
  /** When it fires, the try under way is the last one. */
  readonly signal?: AbortSignal
}

export interface UpdateResult {
  readonly outcome: 'sent' | 'unchanged' | 'failed' | 'nodeGone'
  readonly cached?: Node
  readonly last: LastReport
  readonly computed?: ComputedStatus
  readonly why?: string
}

export async function updateNodeStatus(
  client: ServiceClient,
  input: UpdateInput,
): Promise<UpdateResult> {
  // The service may have overwritten what is cached: a forced update reads the Node first.
  let cached = input.isForced ? undefined : input.cached
  let last = input.last
  let response: ServiceResponse | undefined
  for (let attempt = 0; attempt < TRIES; attempt++) {
    const tried = await tryUpdateNodeStatus(client, { ...input, cached, last })
    if (tried.result) return tried.result
    last = tried.last
    response = tried.response
    if (saysNodeIsGone(response)) return { outcome: 'nodeGone', last, why: response.why }
    if (attempt > 0) client.reset()
    if (response.retryAfterMs !== undefined || input.signal?.aborted) break
    cached = undefined
  }
  return { outcome: 'failed', cached: input.cached, last, why: response?.why }
}

type Tried =
  | { readonly result: UpdateResult; readonly response?: undefined }
  | { readonly result?: undefined; readonly response: ServiceResponse; readonly last: LastReport }

async function tryUpdateNodeStatus(client: ServiceClient, input: UpdateInput): Promise<Tried> {
  const { cached, last, setterInput } = input
  const before = cached ? { node: cached } : await readNode(client, setterInput.settings.nodeName)
  if (!before.node) return { response: before.response, last }

  const computed = computeNodeStatus(before.node, setterInput)
  const reason = reasonToSend(before.node, computed.node, input)
  if (!reason) return { result: { outcome: 'unchanged', cached: before.node, last, computed } }

  const delayMs = reportDelayMs(reason, input.reportMs, input.random)
  const response = await sendStatus(client, before.node, computed.node)
  if (outcomeOf(response) !== 'ok') return { response, last: { ...last, delayMs } }
  return { result: sentResult(response, computed, { atMs: input.steadyMs, delayMs }) }
}

const sentResult = (
  { body }: ServiceResponse,
  computed: ComputedStatus,
  last: LastReport,
): UpdateResult => ({ outcome: 'sent', cached: body as Node, last, computed })

function reasonToSend(before: Node, after: Node, input: UpdateInput) {
  if (input.last.atMs === undefined) return 'first'
  if (input.isForced || hasChanged(before, after)) return 'changed'
  return isReportDue(input.last, input.reportMs, input.steadyMs) ? 'due' : undefined
}

const hasChanged = (before: Node, after: Node): boolean =>
  before.metadata !== after.metadata || nodeStatusHasChanged(before.status, after.status)

async function readNode(client: ServiceClient, name: string) {
  const response = await client.send({ method: 'GET', path: nodePath(name) })
  return outcomeOf(response) === 'ok' ? { node: response.body as Node, response } : { response }
}

function sendStatus(client: ServiceClient, before: Node, after: Node): Promise<ServiceResponse> {
  const path = nodeStatusPath(after.metadata.name ?? '')
  return client.send(strategicMergePatch(path, statusPatch(before, after)))
}

/** At start the host is observed this often, so that Ready is reported the moment it is true. */
export const FAST_UPDATE = { everyMs: 100, limitMs: 120_000 }

interface FastUpdate {
  readonly isDone: boolean
  readonly result?: UpdateResult
}

export async function fastNodeStatusUpdate(
  client: ServiceClient,
  input: UpdateInput,
): Promise<FastUpdate> {
  if (input.cached && isReady(input.cached)) return { isDone: true }
  const before = input.cached ?? { metadata: { name: input.setterInput.settings.nodeName } }
  const computed = computeNodeStatus(before, input.setterInput)
  if (!isReady(computed.node)) return { isDone: false }
  const response = await sendStatus(client, before, computed.node)
  if (outcomeOf(response) !== 'ok') {
    return { isDone: true, result: await updateNodeStatus(client, input) }
  }
  const delayMs = reportDelayMs('first', input.reportMs, input.random)
  const result = sentResult(response, computed, { atMs: input.steadyMs, delayMs })
  return { isDone: true, result }
}

const isReady = (node: Node): boolean =>
  node.status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') ??
  false

/**
 * The lease controller: one sync after another, each a quarter of the lease's duration after the
 * end of the last one.
 */
import type { Lease, Node } from '../../shared/kube/objects.ts'
import {
  headerNumber,
  leasePath,
  nodePath,
  outcomeOf,
  type ServiceClient,
  type ServiceResponse,
  saysNodeIsGone,
} from '../client.ts'
import type { AgentClock } from '../clock.ts'
import type { AgentSettings } from '../config/settings.ts'
import { type Log, onChange } from '../log.ts'
import { newLease } from './new-lease.ts'
import {
  beatTimeoutMs,
  jittered,
  type RenewalTiming,
  renewalTiming,
  renewIntervalMs,
} from './schedule.ts'
import { type SyncResult, type SyncStep, type SyncStepResult, syncLease } from './sync.ts'

/** A server may delay a beat by this much and no more: longer would look like a dead host. */
const LONGEST_PAUSE_MS = 7_000

/** A beat the service accepted. Times are of *sending*: it cannot have been stamped before. */
export interface AcceptedBeat extends RenewalTiming {
  readonly sentSteadyMs: number
  readonly sentWallMs: number
  readonly inbox?: number
  /** When the service last declared this host dead, by its clock. A change is news. */
  readonly declaredMs?: number
}

interface LeaseController {
  readonly nodeName: string
  readonly holderIdentity: string
  readonly settings: AgentSettings
  readonly client: ServiceClient
  readonly clock: AgentClock
  readonly log: Log
  readonly signal: AbortSignal
  onBeat(beat: AcceptedBeat): void
  /** The service says that there is no such Node. */
  onNodeGone(): void
  /** The service knows this host and forbids it to renew. */
  onForbidden(): void
  /** Before everything that takes time: a controller that is silent for longer is stuck. */
  onStep(withinMs: number): void
}

export async function runLeaseController(controller: LeaseController): Promise<void> {
  const { clock, settings, signal } = controller
  const log = onChange(controller.log)
  let timing = renewalTiming(settings.heartbeat, settings.graceMs)
  let remembered: Lease | undefined
  while (!signal.aborted) {
    const result = await runSync({ ...controller, timing: () => timing, accept }, remembered)
    if (!result) return
    remembered = result.remembered
    logOutcome(log, result, controller)
    const waitMs = jittered(nextIntervalMs(timing, remembered), clock.random())
    controller.onStep(waitMs)
    await clock.wait(waitMs, signal)
  }

  function accept(response: ServiceResponse, sent: SentBeat): void {
    timing = renewalTiming(settings.heartbeat, settings.graceMs, {
      beatSeconds: headerNumber(response, 'leasehold-beat-seconds'),
      graceSeconds: headerNumber(response, 'leasehold-grace-seconds'),
    })
    const inbox = headerNumber(response, 'leasehold-inbox')
    const declaredMs = headerNumber(response, 'leasehold-declared')
    // `sent` last: the duration that was sent is in force until the next beat lengthens it.
    controller.onBeat({ ...timing, ...sent, inbox, declaredMs })
  }
}

/**
 * A host that is told to slow down still sends the next beat in time for the lease in force; that
 * beat lengthens it.
 */
function nextIntervalMs(timing: RenewalTiming, { spec }: Lease = { metadata: {} }): number {
  const seconds = spec?.leaseDurationSeconds
  return seconds ? Math.min(timing.intervalMs, renewIntervalMs(seconds)) : timing.intervalMs
}

function logOutcome(
  log: Log,
  { outcome, remembered }: SyncResult,
  { nodeName }: LeaseController,
): void {
  if (outcome === 'renewed') log.info(`beating as ${nodeName}`)
  if (outcome !== 'heldByAnother') return
  const holder = remembered?.spec?.holderIdentity
  log.warn(`node ${nodeName} is held by another machine (${holder}); give this one another name`)
}

interface SyncRun extends LeaseController {
  timing(): RenewalTiming
  accept(response: ServiceResponse, sent: SentBeat): void
}

type SentBeat = Pick<AcceptedBeat, 'sentSteadyMs' | 'sentWallMs' | 'leaseDurationSeconds'>

/** Undefined when cancelled half-way: the controller ends and needs no lease to remember. */
async function runSync(run: SyncRun, remembered: Lease | undefined) {
  const sync = syncLease(remembered, run.holderIdentity)
  let next = sync.next()
  while (!next.done) {
    if (run.signal.aborted) return undefined
    next = sync.next(await takeStep(run, next.value))
  }
  return next.value
}

async function takeStep(run: SyncRun, step: SyncStep): Promise<SyncStepResult> {
  const timeoutMs = beatTimeoutMs(run.settings.heartbeat, run.timing())
  run.onStep(step.kind === 'wait' ? step.waitMs : timeoutMs)
  if (step.kind === 'wait') {
    await run.clock.wait(step.waitMs, run.signal)
    return { kind: 'done' }
  }
  if (step.kind === 'freshConnection') {
    run.client.reset()
    return { kind: 'done' }
  }
  if (step.kind === 'getNode') return getOwner(run, timeoutMs)
  if (step.kind === 'get') {
    const path = leasePath(run.nodeName)
    return resultOf(run, await run.client.send({ method: 'GET', path, timeoutMs, isBeat: true }))
  }
  return writeLease(run, step, timeoutMs)
}

async function getOwner(run: SyncRun, timeoutMs: number): Promise<SyncStepResult> {
  const path = nodePath(run.nodeName)
  const response = await run.client.send({ method: 'GET', path, timeoutMs, isBeat: true })
  if (saysNodeIsGone(response)) run.onNodeGone()
  if (outcomeOf(response) !== 'ok') return resultOf(run, response)
  const { name = run.nodeName, uid = '' } = (response.body as Node).metadata
  return { kind: 'node', node: { name, uid } }
}

async function writeLease(
  run: SyncRun,
  step: Extract<SyncStep, { kind: 'put' | 'post' }>,
  timeoutMs: number,
): Promise<SyncStepResult> {
  const sentSteadyMs = run.clock.steadyMs()
  const sentWallMs = run.clock.wallMs()
  const { leaseDurationSeconds } = run.timing()
  const config = { ...run, leaseDurationSeconds }
  const isNew = step.kind === 'post'
  const { lease } = newLease(step.base, config, step.node, sentWallMs)
  const answer = await run.client.send({
    method: isNew ? 'POST' : 'PUT',
    path: isNew ? leasePath() : leasePath(run.nodeName),
    body: lease,
    timeoutMs,
    isBeat: true,
    ...(!isNew && { prefer: 'return=minimal' }),
  })
  const response = completed(answer, lease)
  if (outcomeOf(response) === 'ok') {
    run.accept(response, { sentSteadyMs, sentWallMs, leaseDurationSeconds })
  }
  return resultOf(run, response)
}

/** An answer that leaves out what was sent: the stored lease is that, at the version it names. */
function completed(answer: ServiceResponse, sent: Lease): ServiceResponse {
  if (answer.headers['preference-applied'] !== 'return=minimal') return answer
  const { metadata } = (answer.body ?? {}) as Partial<Lease>
  if (!metadata?.resourceVersion) return answer
  const { resourceVersion } = metadata
  return { ...answer, body: { ...sent, metadata: { ...sent.metadata, resourceVersion } } }
}

function resultOf(run: SyncRun, response: ServiceResponse): SyncStepResult {
  const outcome = outcomeOf(response)
  if (outcome === 'ok') return { kind: 'lease', lease: response.body as Lease }
  if (outcome === 'notFound' || outcome === 'conflict') return { kind: outcome }
  if (outcome === 'forbidden') run.onForbidden()
  run.log.warn(`beat not taken: ${response.why}`)
  const askedMs = response.retryAfterMs
  return {
    kind: 'error',
    ...(askedMs !== undefined && { retryAfterMs: Math.min(askedMs, LONGEST_PAUSE_MS) }),
  }
}

/**
 * Keeps the Lease alive: runs one tick after another, each a quarter of the duration after the last
 * one's end.
 */
import type { Lease, Node } from '../shared/kube/objects.ts'
import { type Answer, type Client, headerNumber, outcomeOf, saysNodeIsGone } from './client.ts'
import type { Clock } from './clock.ts'
import { type LeaseWish, leaseToSend, NODE_LEASE_NAMESPACE } from './lease-content.ts'
import { leaseTick, type Step, type StepAnswer, type TickResult } from './lease-tick.ts'
import { type Log, onChange } from './log.ts'
import { nodePath } from './register.ts'
import { type Beat, beatFor, beatTimeoutMs, jittered, renewIntervalMs } from './schedule.ts'
import type { Settings } from './settings.ts'

/** A server may push a beat back by this much and no more: longer would be silence. */
const LONGEST_PAUSE_MS = 7_000

/** A beat the service has taken. Times are of *sending*: it cannot have been stamped before. */
export interface AcceptedBeat extends Beat {
  readonly sentSteadyMs: number
  readonly sentWallMs: number
  readonly inbox?: number
  /** When the service last gave this host up, by its clock. News only when it changes. */
  readonly declaredMs?: number
}

export interface LeaseLoop {
  readonly nodeName: string
  readonly holderIdentity: string
  readonly settings: Settings
  readonly client: Client
  readonly clock: Clock
  readonly log: Log
  readonly signal: AbortSignal
  onBeat(beat: AcceptedBeat): void
  /** The service says that there is no such Node. */
  onNodeGone(): void
  /** The service knows us and does not let us beat. */
  onForbidden(): void
  /** Before everything that takes time: a loop that does not call again within that is stuck. */
  onStep(withinMs: number): void
}

const leasesPath = `/apis/coordination.k8s.io/v1/namespaces/${NODE_LEASE_NAMESPACE}/leases`
export const leasePath = (name: string) => `${leasesPath}/${encodeURIComponent(name)}`

export async function keepLease(loop: LeaseLoop): Promise<void> {
  const { clock, settings, signal } = loop
  const log = onChange(loop.log)
  let beat = beatFor(settings.heartbeat, settings.graceMs)
  let remembered: Lease | undefined
  while (!signal.aborted) {
    const result = await runTick({ ...loop, beat: () => beat, accept }, remembered)
    if (!result) return
    remembered = result.remembered
    tell(log, result, loop)
    const waitMs = jittered(nextIntervalMs(beat, remembered), clock.random())
    loop.onStep(waitMs)
    await clock.wait(waitMs, signal)
  }

  function accept(answer: Answer, sent: SentBeat): void {
    beat = beatFor(settings.heartbeat, settings.graceMs, {
      beatSeconds: headerNumber(answer, 'leasehold-beat-seconds'),
      graceSeconds: headerNumber(answer, 'leasehold-grace-seconds'),
    })
    const inbox = headerNumber(answer, 'leasehold-inbox')
    const declaredMs = headerNumber(answer, 'leasehold-declared')
    // The lease that was sent is the one that runs, until the next beat lengthens it.
    loop.onBeat({ ...beat, ...sent, inbox, declaredMs })
  }
}

/**
 * Told to slow down, the next beat still comes in time for the lease that is there, and lengthens
 * it.
 */
function nextIntervalMs(beat: Beat, { spec }: Lease = { metadata: {} }): number {
  const seconds = spec?.leaseDurationSeconds
  return seconds ? Math.min(beat.intervalMs, renewIntervalMs(seconds)) : beat.intervalMs
}

function tell(log: Log, { outcome, remembered }: TickResult, { nodeName }: LeaseLoop): void {
  if (outcome === 'beaten') log.info(`beating as ${nodeName}`)
  if (outcome !== 'heldByAnother') return
  const holder = remembered?.spec?.holderIdentity
  log.warn(`node ${nodeName} is held by another machine (${holder}); give this one another name`)
}

interface TickRun extends LeaseLoop {
  beat(): Beat
  accept(answer: Answer, sent: SentBeat): void
}

type SentBeat = Pick<AcceptedBeat, 'sentSteadyMs' | 'sentWallMs' | 'leaseDurationSeconds'>

async function runTick(run: TickRun, remembered: Lease | undefined) {
  const tick = leaseTick(remembered, run.holderIdentity)
  let next = tick.next()
  while (!next.done) {
    // Cancelled in the middle: whatever was remembered is of no use to anybody.
    if (run.signal.aborted) return undefined
    next = tick.next(await take(run, next.value))
  }
  return next.value
}

async function take(run: TickRun, step: Step): Promise<StepAnswer> {
  const timeoutMs = beatTimeoutMs(run.settings.heartbeat, run.beat())
  run.onStep(step.kind === 'wait' ? step.waitMs : timeoutMs)
  if (step.kind === 'wait') {
    await run.clock.wait(step.waitMs, run.signal)
    return { kind: 'done' }
  }
  if (step.kind === 'freshConnection') {
    run.client.reset()
    return { kind: 'done' }
  }
  if (step.kind === 'getNode') return readOwner(run, timeoutMs)
  if (step.kind === 'get') {
    const path = leasePath(run.nodeName)
    return toStep(run, await run.client.send({ method: 'GET', path, timeoutMs, isBeat: true }))
  }
  return write(run, step, timeoutMs)
}

async function readOwner(run: TickRun, timeoutMs: number): Promise<StepAnswer> {
  const path = nodePath(run.nodeName)
  const answer = await run.client.send({ method: 'GET', path, timeoutMs, isBeat: true })
  if (saysNodeIsGone(answer)) run.onNodeGone()
  if (outcomeOf(answer) !== 'ok') return toStep(run, answer)
  const { name = run.nodeName, uid = '' } = (answer.body as Node).metadata
  return { kind: 'node', node: { name, uid } }
}

async function write(
  run: TickRun,
  step: Extract<Step, { kind: 'put' | 'post' }>,
  timeoutMs: number,
): Promise<StepAnswer> {
  const sentSteadyMs = run.clock.steadyMs()
  const sentWallMs = run.clock.wallMs()
  const { leaseDurationSeconds } = run.beat()
  const wish: LeaseWish = { ...run, leaseDurationSeconds }
  const { lease: body } = leaseToSend(step.base, wish, step.node, sentWallMs)
  const isNew = step.kind === 'post'
  const answer = await run.client.send({
    method: isNew ? 'POST' : 'PUT',
    path: isNew ? leasesPath : leasePath(run.nodeName),
    body,
    timeoutMs,
    isBeat: true,
  })
  if (outcomeOf(answer) === 'ok') {
    run.accept(answer, { sentSteadyMs, sentWallMs, leaseDurationSeconds })
  }
  return toStep(run, answer)
}

function toStep(run: TickRun, answer: Answer): StepAnswer {
  const outcome = outcomeOf(answer)
  if (outcome === 'ok') return { kind: 'lease', lease: answer.body as Lease }
  if (outcome === 'notFound' || outcome === 'conflict') return { kind: outcome }
  if (outcome === 'forbidden') run.onForbidden()
  run.log.warn(`beat not taken: ${answer.why}`)
  const askedMs = answer.retryAfterMs
  return {
    kind: 'error',
    ...(askedMs !== undefined && { retryAfterMs: Math.min(askedMs, LONGEST_PAUSE_MS) }),
  }
}

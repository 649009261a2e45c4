/**
 * Whose turn is it? A lease, as an economy: two monitors at once are harmless and cost double.
 *
 * A newcomer writes itself down as the preferred holder; the incumbent sees that when it renews,
 * finishes its tick and releases. So the younger process always takes over, and a start that finds
 * nobody begins at once.
 */
import type { LeaseSpec } from '../../shared/kube/objects.ts'
import { formatMicroTime, formatTime } from '../../shared/kube/time.ts'
import { hasExpired } from '../../shared/lifecycle/holder.ts'
import { monitorLeaseKey } from '../../shared/lifecycle/meeting-points.ts'
import type { StoredLease } from '../../shared/store/ports.ts'
import type { MonitorDeps } from './deps.ts'

/** A monitor that died is replaced after this many of its ticks. */
const TICKS_HELD = 3
const LEAST_SECONDS = 2
const POLL_MS = 500
/** An incumbent that neither answers nor expires would be a riddle: leave it to the next start. */
const PATIENCE = 3

export interface Turn {
  readonly identity: string
  readonly deps: Pick<MonitorDeps, 'store' | 'clock' | 'sleep' | 'random' | 'uuid' | 'settings'>
}

export type Claimed = 'mine' | 'superseded' | 'refused' | 'aborted'

export async function claim(turn: Turn, signal: AbortSignal): Promise<Claimed> {
  const { clock, sleep, random } = turn.deps
  const patienceMs = PATIENCE * durationSeconds(turn) * 1_000 + POLL_MS
  const giveUpAtMs = clock() + patienceMs
  let hasAsked = false
  while (!signal.aborted) {
    const step = await ask(turn, hasAsked)
    if (step === 'mine' || step === 'superseded') return step
    if (step === 'wait') hasAsked = true
    if (clock() >= giveUpAtMs) return 'refused'
    // Two that started together must not ask in step.
    await sleep(POLL_MS * (0.5 + random()), signal)
  }
  return 'aborted'
}

async function ask(
  turn: Turn,
  hasAsked: boolean,
): Promise<'mine' | 'superseded' | 'again' | 'wait'> {
  const { leases } = turn.deps.store
  const found = await leases.get(monitorLeaseKey)
  if (!found) return (await create(turn)) ? 'mine' : 'again'
  const taken = isFree(turn, found) ? await take(turn, found) : 'held'
  // Our clock may call free what is not: the store knows, and then we ask like everybody else.
  if (taken !== 'held') return taken

  const { preferredHolder } = found.object.spec ?? {}
  if (preferredHolder === turn.identity) return 'wait'
  // Somebody younger asked after us: it is their turn, not ours.
  if (hasAsked && preferredHolder) return 'superseded'
  const spec = { ...found.object.spec, preferredHolder: turn.identity, strategy: STRATEGY }
  const { kind } = await leases.replace({ ...found.object, spec }, found)
  return kind === 'replaced' ? 'wait' : 'again'
}

/** Kubernetes wants one beside a preferred holder. */
const STRATEGY = 'OldestEmulationVersion'

function isFree({ deps }: Turn, { object, receivedAtMs }: StoredLease): boolean {
  const received = receivedAtMs !== undefined && { receivedAtMs }
  return !object.spec?.holderIdentity || hasExpired({ ...object.spec, ...received }, deps.clock())
}

async function create(turn: Turn): Promise<boolean> {
  const { store, uuid, clock } = turn.deps
  const metadata = {
    ...monitorLeaseKey,
    uid: uuid(),
    creationTimestamp: formatTime(clock()),
  }
  const { kind } = await store.leases.create({ metadata, spec: heldSpec(turn) })
  return kind === 'created'
}

async function take(turn: Turn, found: StoredLease): Promise<'mine' | 'again' | 'held'> {
  const { kind } = await turn.deps.store.leases.replace(
    { ...found.object, spec: heldSpec(turn) },
    found,
  )
  if (kind === 'held') return 'held'
  return kind === 'replaced' ? 'mine' : 'again'
}

function heldSpec(turn: Turn): LeaseSpec {
  const now = formatMicroTime(turn.deps.clock() * 1_000)
  return {
    holderIdentity: turn.identity,
    leaseDurationSeconds: durationSeconds(turn),
    acquireTime: now,
    renewTime: now,
  }
}

const durationSeconds = ({ deps }: Turn) =>
  Math.max(LEAST_SECONDS, Math.ceil((TICKS_HELD * deps.settings.nodeMonitorPeriodMs) / 1_000))

/** `asked`: somebody wants to take over. `lost`: somebody has. */
export async function renew({ deps, identity }: Turn): Promise<'mine' | 'asked' | 'lost'> {
  const renewTime = formatMicroTime(deps.clock() * 1_000)
  const spec = { holderIdentity: identity, renewTime }
  const renewed = await deps.store.leases.renew({ key: monitorLeaseKey, spec })
  if (renewed.kind !== 'renewed' && renewed.kind !== 'notRenewal') return 'lost'
  // Twice in one millisecond is no new beat, and still ours.
  const found = renewed.kind === 'renewed' ? renewed.lease : renewed.found
  if (found.object.spec?.holderIdentity !== identity) return 'lost'
  const { preferredHolder } = found.object.spec
  return preferredHolder && preferredHolder !== identity ? 'asked' : 'mine'
}

export async function release({ deps, identity }: Turn): Promise<void> {
  const { leases } = deps.store
  const found = await leases.get(monitorLeaseKey)
  if (found?.object.spec?.holderIdentity !== identity) return
  const { holderIdentity: _mine, ...spec } = found.object.spec
  await leases.replace({ ...found.object, spec }, found)
}

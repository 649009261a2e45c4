/**
 * Which monitor ticks? The holder of one lease. Only to save money: two monitors at once are
 * harmless and cost double.
 *
 * A new monitor that finds a holder with enough of its life left ends at once. Otherwise it writes
 * itself down as the preferred holder; the holder sees that when it renews, and releases the lease
 * when its next tick would be due. A new monitor that finds the lease free begins at once.
 */
import type { LeaseSpec } from '../../shared/kube/objects.ts'
import { StatusError } from '../../shared/kube/status-error.ts'
import { formatMicroTime, formatTime, parseTimeMs } from '../../shared/kube/time.ts'
import { isLeaseExpired } from '../../shared/lifecycle/liveness/holder.ts'
import { monitorLeaseKey } from '../../shared/lifecycle/record-names.ts'
import type { StoredLease } from '../../shared/store/ports.ts'
import type { MonitorDeps } from './deps.ts'

/** A monitor that died is replaced after this many of its ticks. */
const TICKS_HELD = 3
const LEAST_SECONDS = 2
/** How often a lease that another writer keeps changing is read again. */
const RETRY_MS = 500
/** How often a candidate looks whether the holder has released: its tick is due at that moment. */
const RELEASE_POLL_MS = 100
/** After this many lease durations a holder should have released or expired: the next start retries. */
const GIVE_UP_AFTER_DURATIONS = 3

export interface Candidate {
  readonly identity: string
  readonly deps: Pick<MonitorDeps, 'store' | 'clock' | 'sleep' | 'random' | 'uuid' | 'settings'>
}

type Claimed = 'mine' | 'superseded' | 'refused' | 'aborted'

/** The holder's age when a candidate that lives as long as it should succeed it. */
const STARTS_APART_MS = 120_000
const WARM_UP_MS = 30_000

/**
 * Does another monitor tick, with enough of its life left for the next start to succeed it? The
 * Scheduler starts one per minute, anywhere within the minute.
 */
export async function hasYoungHolder(candidate: Candidate, lifetimeMs: number): Promise<boolean> {
  const found = await candidate.deps.store.leases.get(monitorLeaseKey)
  if (!found || isFree(candidate, found)) return false
  const { acquireTime, preferredHolder } = found.object.spec ?? {}
  // A candidate that asked before us is about to take over.
  if (preferredHolder) return true
  const ageMs = candidate.deps.clock() - (parseTimeMs(acquireTime ?? '') ?? 0)
  return ageMs < lifetimeMs - STARTS_APART_MS - WARM_UP_MS
}

export async function claimMonitorLease(
  candidate: Candidate,
  signal: AbortSignal,
): Promise<Claimed> {
  const { clock, sleep, random } = candidate.deps
  const waitMs = GIVE_UP_AFTER_DURATIONS * durationSeconds(candidate) * 1_000 + RETRY_MS
  const giveUpAtMs = clock() + waitMs
  let hasAsked = false
  while (!signal.aborted) {
    const step = await ask(candidate, hasAsked).catch(againIfBusy)
    if (step === 'mine' || step === 'superseded') return step
    if (step === 'wait') hasAsked = true
    if (clock() >= giveUpAtMs) return 'refused'
    // Two that started together must not ask in step.
    await sleep(step === 'wait' ? RELEASE_POLL_MS : RETRY_MS * (0.5 + random()), signal)
  }
  return 'aborted'
}

/**
 * The store is busy, out of reach, or has not said whether the claim was written: reading the lease
 * again tells. Ending here would throw the warm-up away and leave the fleet to the next start.
 */
function againIfBusy(error: unknown): 'again' {
  if (error instanceof StatusError && [429, 503, 504].includes(error.code)) return 'again'
  throw error
}

async function ask(
  candidate: Candidate,
  hasAsked: boolean,
): Promise<'mine' | 'superseded' | 'again' | 'wait'> {
  const { leases } = candidate.deps.store
  const found = await leases.get(monitorLeaseKey)
  if (!found) return (await create(candidate)) ? 'mine' : 'again'
  if (found.object.spec?.holderIdentity === candidate.identity) return 'mine'
  const taken = isFree(candidate, found) ? await take(candidate, found) : 'held'
  // Our clock may call free what is not; the store refuses then, and we ask the holder for it.
  if (taken !== 'held') return taken

  const { preferredHolder } = found.object.spec ?? {}
  if (preferredHolder === candidate.identity) return 'wait'
  // A younger monitor asked after us: the lease goes to it.
  if (hasAsked && preferredHolder) return 'superseded'
  const spec = { ...found.object.spec, preferredHolder: candidate.identity, strategy: STRATEGY }
  const { kind } = await leases.replace({ ...found.object, spec }, found)
  return kind === 'replaced' ? 'wait' : 'again'
}

/** Kubernetes requires one beside a preferred holder. */
const STRATEGY = 'OldestEmulationVersion'

function isFree({ deps }: Candidate, { object, receivedAtMs }: StoredLease): boolean {
  const received = receivedAtMs !== undefined && { receivedAtMs }
  return (
    !object.spec?.holderIdentity || isLeaseExpired({ ...object.spec, ...received }, deps.clock())
  )
}

async function create(candidate: Candidate): Promise<boolean> {
  const { store, uuid, clock } = candidate.deps
  const metadata = {
    ...monitorLeaseKey,
    uid: uuid(),
    creationTimestamp: formatTime(clock()),
  }
  const { kind } = await store.leases.create({ metadata, spec: heldSpec(candidate) })
  return kind === 'created'
}

async function take(candidate: Candidate, found: StoredLease): Promise<'mine' | 'again' | 'held'> {
  const { kind } = await candidate.deps.store.leases.replace(
    { ...found.object, spec: heldSpec(candidate) },
    found,
  )
  if (kind === 'held') return 'held'
  return kind === 'replaced' ? 'mine' : 'again'
}

function heldSpec(candidate: Candidate): LeaseSpec {
  const now = formatMicroTime(candidate.deps.clock() * 1_000)
  return {
    holderIdentity: candidate.identity,
    leaseDurationSeconds: durationSeconds(candidate),
    acquireTime: now,
    renewTime: now,
  }
}

const durationSeconds = ({ deps }: Candidate) =>
  Math.max(LEAST_SECONDS, Math.ceil((TICKS_HELD * deps.settings.nodeMonitorPeriodMs) / 1_000))

/** `asked`: another monitor wants to take over. `lost`: another has. */
export async function renewMonitorLease({
  deps,
  identity,
}: Candidate): Promise<'mine' | 'asked' | 'lost'> {
  const renewTime = formatMicroTime(deps.clock() * 1_000)
  const spec = { holderIdentity: identity, renewTime }
  const renewed = await deps.store.leases.renew({ key: monitorLeaseKey, spec })
  if (renewed.kind !== 'renewed' && renewed.kind !== 'notRenewal') return 'lost'
  // A second renewal in the same millisecond is no renewal, and the lease is still ours.
  const found = renewed.kind === 'renewed' ? renewed.lease : renewed.found
  if (found.object.spec?.holderIdentity !== identity) return 'lost'
  const { preferredHolder } = found.object.spec
  return preferredHolder && preferredHolder !== identity ? 'asked' : 'mine'
}

export async function releaseMonitorLease({ deps, identity }: Candidate): Promise<void> {
  const { leases } = deps.store
  const found = await leases.get(monitorLeaseKey)
  if (found?.object.spec?.holderIdentity !== identity) return
  const { holderIdentity: _mine, ...spec } = found.object.spec
  await leases.replace({ ...found.object, spec }, found)
}

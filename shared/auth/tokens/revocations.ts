/** Revoked tokens: one record with, per subject, the time before which its tokens are void. */
import { tooManyRequests } from '../../kube/status-error.ts'
import type { Records, StoredRecord, WriteStep } from '../../store/ports.ts'
import { refreshingCache } from '../caches.ts'
import { lifetimeSeconds } from './claims.ts'
import type { Trouble } from './key-set.ts'

export const REVOCATIONS = 'revocations'

/** How long a process may still accept a revoked token, having read the record just before. */
const REVOCATIONS_FRESH_MS = 30_000
/** Keeps the record far below an item's size. Beyond it, rotate the key instead. */
export const REVOCATIONS_LIMIT = 1_000
/** Hosts that join again may fill half of it: the rest stays free for operators. */
export const REJOIN_REVOCATIONS_LIMIT = 500

/** Only an operator, or time, makes room again. */
const FULL_RETRY_SECONDS = 60

/** Subject (a user name) to seconds since the epoch. */
type Revocations = Readonly<Record<string, number>>

export interface RevocationWatch {
  refresh(nowMs: number): Promise<void> | undefined
  isRevoked(subject: string, issuedAtSeconds: number): boolean
}

export function watchRevocations(records: Records, onTrouble: Trouble): RevocationWatch {
  const watched = refreshingCache({
    what: 'revocations',
    freshMs: REVOCATIONS_FRESH_MS,
    load: async () => new Map(Object.entries((await readRevocations(records))?.value ?? {})),
    onTrouble,
  })
  return {
    refresh: (nowMs) => watched.refresh(nowMs),
    isRevoked: (subject, issuedAtSeconds) =>
      isRevokedBy(watched.last()?.get(subject), issuedAtSeconds),
  }
}

export const isRevokedBy = (beforeSeconds: number | undefined, issuedAtSeconds: number): boolean =>
  beforeSeconds !== undefined && issuedAtSeconds < beforeSeconds

export const readRevocations = (records: Records) => records.get<Revocations>(REVOCATIONS)

interface Revocation {
  readonly subject: string
  readonly issuedBeforeSeconds: number
}

/** Adds one revocation and drops those older than any valid token. */
export function revoke(
  found: StoredRecord<Revocations> | undefined,
  { subject, issuedBeforeSeconds }: Revocation,
  nowMs: number,
  limit = REVOCATIONS_LIMIT,
): WriteStep {
  const oldest = Math.floor(nowMs / 1000) - lifetimeSeconds.node
  const kept = Object.entries(found?.value ?? {}).filter(([, before]) => before > oldest)
  const earlier = found?.value[subject] ?? 0
  const value = {
    ...Object.fromEntries(kept),
    // An earlier revocation must not replace a later one.
    [subject]: Math.max(earlier, issuedBeforeSeconds),
  }
  if (Object.keys(value).length > limit) {
    const why = `more than ${limit} subjects are revoked; rotate the key instead: `
    throw tooManyRequests(`${why}leasehold keys rotate --force`, FULL_RETRY_SECONDS)
  }
  return { do: 'putRecord', name: REVOCATIONS, value, believed: found?.version }
}

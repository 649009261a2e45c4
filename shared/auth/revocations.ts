/**
 * Which tokens no longer count? One small record: a subject, and the moment before which its tokens
 * are void.
 */
import type { Records, Step, StoredRecord } from '../store/ports.ts'
import { lifetimeSeconds } from './claims.ts'
import type { Trouble } from './key-set.ts'
import { refreshed } from './refreshed.ts'

export const REVOCATIONS = 'revocations'

/**
 * How long a revoked token may still be accepted by a process that has read the record a moment
 * before.
 */
export const REVOCATIONS_FRESH_MS = 30_000
/**
 * The record stays far below an item's size. Beyond it the answer is a new key, not a longer list.
 */
export const REVOCATIONS_LIMIT = 1_000

/** Subject (a user name) to seconds since the epoch. */
export type Revocations = Readonly<Record<string, number>>

export interface RevocationWatch {
  refresh(nowMs: number): Promise<void> | undefined
  isRevoked(subject: string, issuedAtSeconds: number): boolean
}

export function watchRevocations(records: Records, onTrouble: Trouble): RevocationWatch {
  const watched = refreshed({
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

export interface Revocation {
  readonly subject: string
  readonly issuedBeforeSeconds: number
}

/** The write that adds one revocation to what was read, dropping those no living token can need. */
export function revoke(
  found: StoredRecord<Revocations> | undefined,
  { subject, issuedBeforeSeconds }: Revocation,
  nowMs: number,
): Step {
  const oldest = Math.floor(nowMs / 1000) - lifetimeSeconds.node
  const kept = Object.entries(found?.value ?? {}).filter(([, before]) => before > oldest)
  const earlier = found?.value[subject] ?? 0
  const value = {
    ...Object.fromEntries(kept),
    // A later revocation is never weakened by an earlier one.
    [subject]: Math.max(earlier, issuedBeforeSeconds),
  }
  if (Object.keys(value).length > REVOCATIONS_LIMIT) {
    throw new Error(
      `more than ${REVOCATIONS_LIMIT} subjects are revoked; rotate the key instead: ` +
        'leasehold keys rotate --force',
    )
  }
  return { do: 'putRecord', name: REVOCATIONS, value, believed: found?.version }
}

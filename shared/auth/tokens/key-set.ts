/** The public keys whose signatures are accepted, each with its role. */
import { type CryptoKey, calculateJwkThumbprint, importJWK, type JWK } from 'jose'
import { type RefreshingCache, refreshingCache } from '../caches.ts'
import type { KeyRole } from './claims.ts'

export interface PublicJwks {
  readonly keys: readonly (JWK & { readonly role: KeyRole })[]
}

export interface PublicKey {
  readonly kid: string
  readonly role: KeyRole
  readonly key: CryptoKey
}

export interface KeySet {
  /** From the cache: a cached token is void once its key is removed. */
  has(kid: string): boolean
  /** Reads the list again when the key is unknown: it may be new. Limited by UNKNOWN_KEY_PAUSE_MS. */
  find(kid: string, nowMs: number): Promise<PublicKey | undefined>
  /** At most one read per `KEYS_FRESH_MS`. */
  refresh(nowMs: number): Promise<void> | undefined
}

/** A removed key stops working in every process within this. */
const KEYS_FRESH_MS = 60_000
/** Tokens with invented key ids must not make us read the list at every request. */
const UNKNOWN_KEY_PAUSE_MS = 10_000

export type Trouble = (what: string, error: unknown) => void

export function keySet(load: () => Promise<PublicJwks>, onTrouble: Trouble): KeySet {
  const keys: RefreshingCache<ReadonlyMap<string, PublicKey>> = refreshingCache({
    what: 'public keys',
    freshMs: KEYS_FRESH_MS,
    load: async () => importKeys(await load()),
    onTrouble,
  })
  return {
    has: (kid) => keys.last()?.has(kid) ?? false,
    refresh: (nowMs) => keys.refresh(nowMs),
    async find(kid, nowMs) {
      await keys.refresh(nowMs)
      if (!keys.last()?.has(kid)) await keys.refresh(nowMs, UNKNOWN_KEY_PAUSE_MS)
      return keys.last()?.get(kid)
    },
  }
}

async function importKeys({ keys }: PublicJwks): Promise<ReadonlyMap<string, PublicKey>> {
  const entries = keys.map(async ({ role, kty, crv, x, y }) => {
    // Only the public members are used, and the kid is computed: neither is taken on trust.
    const jwk = { kty, crv, x, y }
    const kid = await calculateJwkThumbprint(jwk)
    const key = (await importJWK(jwk, 'ES256')) as CryptoKey
    return [kid, { kid, role, key }] as const
  })
  return new Map(await Promise.all(entries))
}

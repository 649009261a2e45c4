/**
 * Whose signatures are believed? A small list of public keys, each with the role it may speak in.
 */
import { type CryptoKey, calculateJwkThumbprint, importJWK, type JWK } from 'jose'
import type { KeyRole } from './claims.ts'
import { type Refreshed, refreshed } from './refreshed.ts'

export interface PublicJwks {
  readonly keys: readonly (JWK & { readonly role: KeyRole })[]
}

export interface PublicKey {
  readonly kid: string
  readonly role: KeyRole
  readonly key: CryptoKey
}

export interface KeySet {
  /** From memory: a cached token dies with its key. */
  has(kid: string): boolean
  /** Looks again, now and then, when the key is not known: it may be new. */
  find(kid: string, nowMs: number): Promise<PublicKey | undefined>
  /** At most one look per `KEYS_FRESH_MS`; free in between. */
  refresh(nowMs: number): Promise<void> | undefined
}

/** A key taken away stops working everywhere within this. */
const KEYS_FRESH_MS = 60_000
/** Tokens with made-up key ids must not make us read the list again and again. */
const UNKNOWN_KEY_PAUSE_MS = 10_000

export type Trouble = (what: string, error: unknown) => void

export function keySet(load: () => Promise<PublicJwks>, onTrouble: Trouble): KeySet {
  const keys: Refreshed<ReadonlyMap<string, PublicKey>> = refreshed({
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
    // Only the public members are taken, and the name is computed: neither is a matter of trust.
    const jwk = { kty, crv, x, y }
    const kid = await calculateJwkThumbprint(jwk)
    const key = (await importJWK(jwk, 'ES256')) as CryptoKey
    return [kid, { kid, role, key }] as const
  })
  return new Map(await Promise.all(entries))
}

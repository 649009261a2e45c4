/**
 * One small install for tests: keys of both roles, an empty memory, an authenticator, and a clock
 * that stands still.
 */
import { generateKeyPairSync } from 'node:crypto'
import type { JWK } from 'jose'
import { createAuthenticator } from '../../../shared/auth/authenticator.ts'
import type { KeyRole } from '../../../shared/auth/tokens/claims.ts'
import { keySet, type PublicJwks } from '../../../shared/auth/tokens/key-set.ts'
import { keyObjectSigner, signToken, type TokenSpec } from '../../../shared/auth/tokens/signer.ts'
import { memoryStore } from '../../../shared/store/memory/store.ts'
import type { Records, Store } from '../../../shared/store/ports.ts'

export const issued = { issuer: 'leasehold', audience: 'https://leasehold.test' }
export const startMs = Date.UTC(2026, 0, 1)

export async function newSigner(role: KeyRole) {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  return keyObjectSigner(role, privateKey, publicKey.export({ format: 'jwk' }) as JWK)
}

export type Install = Awaited<ReturnType<typeof newInstall>>

export async function newInstall() {
  const clock = { nowMs: startMs }
  const store = memoryStore({ clock: () => clock.nowMs })
  const node = await newSigner('node')
  const admin = await newSigner('admin')
  const jwks: { keys: PublicJwks['keys'] } = {
    keys: [node, admin].map(({ role, publicJwk }) => ({ ...publicJwk, role })),
  }
  const troubles: string[] = []
  const counted = countReads(store)
  const onTrouble = (what: string) => void troubles.push(what)
  const authenticator = createAuthenticator({
    ...issued,
    keys: keySet(async () => jwks, onTrouble),
    records: counted.records,
    onTrouble,
  })
  let ids = 0
  const newId = () => `id-${++ids}`
  return { clock, store, signers: { node, admin }, jwks, troubles, counted, authenticator, newId }
}

/** Records that count how often they are read, and can be made to fail. */
function countReads({ records }: Store) {
  const counted = { reads: 0, broken: false }
  const watched: Records = {
    ...records,
    async get<T>(name: string) {
      counted.reads++
      if (counted.broken) throw new Error('the table does not answer')
      return records.get<T>(name)
    },
  }
  return Object.assign(counted, { records: watched })
}

type Wish = Partial<TokenSpec> & Pick<TokenSpec, 'user' | 'groups'>

export async function tokenFor(install: Install, role: KeyRole, wish: Wish): Promise<string> {
  const { clock, signers, newId } = install
  const order = { ...issued, lifetimeSeconds: 3600, tokenId: newId(), nowMs: clock.nowMs, ...wish }
  return (await signToken(signers[role], order)).token
}

export const bearer = (token: string) => `Bearer ${token}`

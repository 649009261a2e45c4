/** Grants to programs in the store: one record each, by name. Secrets are shown once, never stored. */
import { conflict, forbidden } from '../../kube/status-error.ts'
import type { Records, Store } from '../../store/ports.ts'
import type { Identity } from '../identity.ts'
import { type IssuedProgramToken, type ProgramGrant, withSuccessor } from './grant.ts'

export const PROGRAMS = 'program/'

const ATTEMPTS = 5
const named = { group: 'leasehold.dev', plural: 'programs', kind: 'Program' }

export const readGrant = (records: Records, name: string) =>
  records.get<ProgramGrant>(`${PROGRAMS}${name}`)

export const listGrants = (records: Records) => records.list<ProgramGrant>(PROGRAMS)

interface Draw {
  readonly nowMs: number
  readonly randomInt: (below: number) => number
}

/** `taken`: there is a grant of this name; it is revoked first, or given another name. */
export async function createGrant(
  store: Store,
  request: Omit<ProgramGrant, 'createdAtMs' | 'tokens'>,
  draw: Draw,
): Promise<IssuedProgramToken | 'taken'> {
  const found = await readGrant(store.records, request.name)
  if (found && draw.nowMs < found.value.endsAtMs) return 'taken'
  const bare = { ...request, createdAtMs: draw.nowMs, tokens: [] }
  const { grant, issued } = withSuccessor(bare, undefined, draw)
  const commit = await store.commit([putGrant(grant, found?.version)])
  return commit.kind === 'committed' ? issued : 'taken'
}

/** DynamoDB removes it some time after its end. */
const putGrant = (grant: ProgramGrant, believed: number | undefined) => ({
  do: 'putRecord' as const,
  name: `${PROGRAMS}${grant.name}`,
  value: grant,
  believed,
  expiresAtMs: grant.endsAtMs,
})

export async function revokeGrant(store: Store, name: string): Promise<'revoked' | 'absent'> {
  const found = await readGrant(store.records, name)
  if (!found) return 'absent'
  const commit = await store.commit([
    { do: 'dropRecord', name: found.name, believed: found.version },
  ])
  // The program renewed its token in between, so the version was old: read again.
  return commit.kind === 'committed' ? 'revoked' : revokeGrant(store, name)
}

/** The successor of the token that the caller has shown. */
export async function renewProgramToken(
  store: Store,
  identity: Identity,
  name: string,
  draw: Draw,
): Promise<IssuedProgramToken> {
  for (let tries = 0; tries < ATTEMPTS; tries++) {
    const found = await readGrant(store.records, name)
    // A token that was exchanged before and is no longer listed has no second successor.
    if (!found?.value.tokens.some((one) => one.hash === identity.tokenId)) {
      throw forbidden(named, name, 'ask with the token of this program that was issued last')
    }
    const { grant, issued } = withSuccessor(found.value, identity.tokenId, draw)
    const commit = await store.commit([putGrant(grant, found.version)])
    if (commit.kind === 'committed') return issued
  }
  throw conflict(named, name, 'its token is being renewed at this moment; try again')
}

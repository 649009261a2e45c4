/**
 * Where bootstrap tokens are kept: one record each, under its id. The secret is shown once and
 * never stored.
 */
import type { Records, Step, Store, StoredRecord } from '../store/ports.ts'
import {
  type BootstrapToken,
  hashBootstrapToken,
  isExtraGroup,
  newBootstrapParts,
} from './bootstrap-token.ts'

const PREFIX = 'bootstrap-token/'

export type StoredBootstrapToken = StoredRecord<BootstrapToken>

export const readBootstrapToken = (records: Records, id: string) =>
  records.get<BootstrapToken>(`${PREFIX}${id}`)

export const listBootstrapTokens = (records: Records) => records.list<BootstrapToken>(PREFIX)

export interface BootstrapRequest {
  readonly description?: string
  readonly groups: readonly string[]
  readonly lifetimeMs?: number
  readonly uses?: number
}

/** Answers the whole token, for the one time it can be seen. */
export async function createBootstrapToken(
  store: Store,
  request: BootstrapRequest,
  { nowMs, randomInt }: { nowMs: number; randomInt: (below: number) => number },
): Promise<string> {
  const bad = request.groups.find((group) => !isExtraGroup(group))
  if (bad !== undefined) {
    throw new Error(
      `group "${bad}" does not fit a bootstrap token: write system:bootstrappers: ` +
        'and then lower-case letters, digits, : or -',
    )
  }
  const parts = newBootstrapParts(randomInt)
  const expiresAtMs = request.lifetimeMs === undefined ? undefined : nowMs + request.lifetimeMs
  const value: BootstrapToken = {
    id: parts.id,
    hash: hashBootstrapToken(parts),
    description: request.description,
    groups: request.groups,
    createdAtMs: nowMs,
    expiresAtMs,
    usesLeft: request.uses,
  }
  const commit = await store.commit([
    { do: 'putRecord', name: `${PREFIX}${parts.id}`, value, expiresAtMs },
  ])
  // Two ids of six characters meet once in two thousand million; the person tries again.
  if (commit.kind === 'outrun') throw new Error('the random id is taken: run the command again')
  return `${parts.id}.${parts.secret}`
}

export async function revokeBootstrapToken(
  store: Store,
  id: string,
): Promise<'revoked' | 'absent'> {
  const found = await readBootstrapToken(store.records, id)
  if (!found) return 'absent'
  const commit = await store.commit([
    { do: 'dropRecord', name: found.name, believed: found.version },
  ])
  // A host used it in between: what was read is old, and looking again settles it.
  return commit.kind === 'committed' ? 'revoked' : revokeBootstrapToken(store, id)
}

/**
 * The write that counts one more host; none for a token without a limit, so that a whole fleet
 * joining at once does not queue for one item. Two racing hosts believe the same version, so only
 * one of them counts.
 */
export function useUp({ name, version, value }: StoredBootstrapToken): readonly Step[] | 'usedUp' {
  const { usesLeft, expiresAtMs } = value
  if (usesLeft === undefined) return []
  if (!(usesLeft > 0)) return 'usedUp'
  const next: BootstrapToken = { ...value, usesLeft: usesLeft - 1 }
  return [{ do: 'putRecord', name, value: next, believed: version, expiresAtMs }]
}

/** Bootstrap tokens in the store: one record each, by id. The secret is shown once, never stored. */
import type { Records, Store, StoredRecord, WriteStep } from '../../store/ports.ts'
import {
  type BootstrapToken,
  hashBootstrapToken,
  isExtraGroup,
  newBootstrapParts,
} from './bootstrap-token.ts'

export const BOOTSTRAP_TOKENS = 'bootstrap-token/'

export type StoredBootstrapToken = StoredRecord<BootstrapToken>

export const readBootstrapToken = (records: Records, id: string) =>
  records.get<BootstrapToken>(`${BOOTSTRAP_TOKENS}${id}`)

export const listBootstrapTokens = (records: Records) =>
  records.list<BootstrapToken>(BOOTSTRAP_TOKENS)

interface BootstrapRequest {
  readonly description?: string
  readonly groups: readonly string[]
  readonly lifetimeMs?: number
  readonly uses?: number
}

/** Returns the whole token, which cannot be read again. */
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
    { do: 'putRecord', name: `${BOOTSTRAP_TOKENS}${parts.id}`, value, expiresAtMs },
  ])
  // Two ids of six characters collide once in two thousand million: the operator tries again.
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
  // A host used it in between, so the version was old: read again.
  return commit.kind === 'committed' ? 'revoked' : revokeBootstrapToken(store, id)
}

/**
 * The write that counts one more host. A token without a limit needs none, so that a whole fleet can
 * join at once without contending for one item. Of two racing hosts, which read the same version,
 * only one can write.
 */
export function consumeUse({
  name,
  version,
  value,
}: StoredBootstrapToken): readonly WriteStep[] | 'usedUp' {
  const { usesLeft, expiresAtMs } = value
  if (usesLeft === undefined) return []
  if (!(usesLeft > 0)) return 'usedUp'
  const next: BootstrapToken = { ...value, usesLeft: usesLeft - 1 }
  return [{ do: 'putRecord', name, value: next, believed: version, expiresAtMs }]
}

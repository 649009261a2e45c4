/**
 * What is a bootstrap token, and is this one valid? Shape and checks are Kubernetes'; only a hash is
 * stored.
 *
 * SHA-256 and not scrypt: the secret is 16 random characters (82 bits), never chosen by a person, so
 * a slow hash would protect nothing, and would let unauthenticated callers spend our CPU.
 */
import { createHash, timingSafeEqual } from 'node:crypto'
import type { Identity } from '../identity.ts'
import { groupNames } from '../subject.ts'

const TOKEN = /^([a-z0-9]{6})\.([a-z0-9]{16})$/
const EXTRA_GROUP = /^system:bootstrappers:[a-z0-9:-]{0,255}[a-z0-9]$/
const ALPHABET = 'abcdefghijklmnopqrstuvwxyz0123456789'
const ID_LENGTH = 6
const SECRET_LENGTH = 16

/** As stored, under its id. */
export interface BootstrapToken {
  readonly id: string
  /** Base64 SHA-256 of the whole token. */
  readonly hash: string
  readonly description?: string
  readonly groups: readonly string[]
  readonly createdAtMs: number
  /** Absent: never. */
  readonly expiresAtMs?: number
  /** Hosts that may still join with it; absent: any number. */
  readonly usesLeft?: number
}

interface BootstrapParts {
  readonly id: string
  readonly secret: string
}

export function parseBootstrapToken(token: string): BootstrapParts | undefined {
  const [, id, secret] = TOKEN.exec(token) ?? []
  return id && secret ? { id, secret } : undefined
}

export const isExtraGroup = (group: string) => EXTRA_GROUP.test(group)

/** `randomInt(n)` gives one of 0..n-1, evenly and unpredictably. */
export function newBootstrapParts(randomInt: (below: number) => number): BootstrapParts {
  const draw = (length: number) =>
    Array.from({ length }, () => ALPHABET[randomInt(ALPHABET.length)]).join('')
  return { id: draw(ID_LENGTH), secret: draw(SECRET_LENGTH) }
}

const digest = ({ id, secret }: BootstrapParts) =>
  createHash('sha256').update(`${id}.${secret}`).digest()

export const hashBootstrapToken = (parts: BootstrapParts) => digest(parts).toString('base64')

/** The identity of the bearer; undefined for any token that is not valid, never an error. */
export function bootstrapIdentity(
  presented: BootstrapParts,
  stored: BootstrapToken | undefined,
  nowMs: number,
): Identity | undefined {
  if (!stored || !sameHash(stored.hash, digest(presented))) return undefined
  if (stored.id !== presented.id) return undefined
  if (isExpired(stored, nowMs)) return undefined
  if (!stored.groups.every(isExtraGroup)) return undefined
  const groups = new Set([groupNames.bootstrappers, ...stored.groups])
  return {
    user: `system:bootstrap:${stored.id}`,
    groups: [...groups].sort(),
    tokenId: `bootstrap:${stored.id}`,
  }
}

function sameHash(stored: string, presented: Buffer): boolean {
  const known = Buffer.from(stored, 'base64')
  return known.length === presented.length && timingSafeEqual(known, presented)
}

/** An expiry that is not a number counts as passed. Uses are counted by `consumeUse`. */
export function isExpired({ expiresAtMs }: BootstrapToken, nowMs: number): boolean {
  return expiresAtMs !== undefined && !(nowMs < expiresAtMs)
}

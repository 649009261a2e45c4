/**
 * What may a program do, for how long, and is this its token? An administrator grants it groups until
 * an end. The grant is the truth: a token is a random secret of which the grant keeps a hash, so no
 * key can sign one, and removing the grant ends it at once. A program exchanges its token for a
 * successor before it runs out.
 */
import { hash, timingSafeEqual } from 'node:crypto'
import { labelName } from '../../kube/meta/names.ts'
import type { Identity } from '../identity.ts'
import { groupNames, programUser } from '../subject.ts'

const TOKEN = /^lhg1\.([a-z0-9][a-z0-9-]{0,62})\.([a-z0-9]{32})$/
const ALPHABET = 'abcdefghijklmnopqrstuvwxyz0123456789'
/** 165 random bits. */
const SECRET_LENGTH = 32

const HOUR_MS = 60 * 60_000
const DAY_MS = 24 * HOUR_MS
export const grantLimits = {
  shortestTokenMs: HOUR_MS,
  longestTokenMs: 7 * DAY_MS,
  longestMs: 366 * DAY_MS,
  /** Of the token that was exchanged: a response may be lost, and readers of a file be slow. */
  overlapMs: 10 * 60_000,
} as const

interface GrantedToken {
  /** Base64 SHA-256 of the whole token. */
  readonly hash: string
  readonly issuedAtMs: number
  readonly expiresAtMs: number
}

/** As stored, under its name. */
export interface ProgramGrant {
  readonly name: string
  readonly groups: readonly string[]
  readonly description?: string
  readonly createdAtMs: number
  /** No token lives longer. */
  readonly endsAtMs: number
  readonly tokenLifetimeMs: number
  /** The newest first; the one it was exchanged for second. */
  readonly tokens: readonly GrantedToken[]
}

export interface IssuedProgramToken {
  readonly token: string
  readonly issuedAtMs: number
  readonly expiresAtMs: number
}

/** Never all power, and no word about hosts: that a host is alive only the host itself can say. */
export function isGrantable(group: string): boolean {
  const { viewers, operators, leaseUsersPrefix: prefix } = groupNames
  if (group === viewers || group === operators) return true
  const namespace = group.startsWith(prefix) ? group.slice(prefix.length) : ''
  return namespace !== '' && namespace !== 'kube-node-lease' && labelName(namespace).length === 0
}

export const programInToken = (token: string): string | undefined => TOKEN.exec(token)?.[1]

const hashOf = (token: string) => hash('sha256', token, 'base64')

/** The identity of the bearer; undefined for any token that is not valid, never an error. */
export function programIdentity(
  token: string,
  grant: ProgramGrant | undefined,
  nowMs: number,
): Identity | undefined {
  if (!grant || grant.name !== programInToken(token) || !(nowMs < grant.endsAtMs)) return undefined
  const presented = hashOf(token)
  const known = grant.tokens.find((one) => isSame(one.hash, presented))
  if (!known || !(nowMs < known.expiresAtMs) || !grant.groups.every(isGrantable)) return undefined
  return { user: programUser(grant.name), groups: grant.groups, tokenId: presented }
}

function isSame(stored: string, presented: string): boolean {
  const [one, other] = [Buffer.from(stored), Buffer.from(presented)]
  return one.length === other.length && timingSafeEqual(one, other)
}

/**
 * The grant with one more token, and that token. The token it succeeds stays valid for a moment, every
 * other one ends.
 */
export function withSuccessor(
  grant: ProgramGrant,
  used: string | undefined,
  { nowMs, randomInt }: { readonly nowMs: number; readonly randomInt: (below: number) => number },
): { readonly grant: ProgramGrant; readonly issued: IssuedProgramToken } {
  const letters = Array.from({ length: SECRET_LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)])
  const token = `lhg1.${grant.name}.${letters.join('')}`
  const expiresAtMs = Math.min(nowMs + grant.tokenLifetimeMs, grant.endsAtMs)
  const before = grant.tokens
    .filter((one) => one.hash === used)
    .map((one) => ({
      ...one,
      expiresAtMs: Math.min(one.expiresAtMs, nowMs + grantLimits.overlapMs),
    }))
  const tokens = [{ hash: hashOf(token), issuedAtMs: nowMs, expiresAtMs }, ...before]
  return { grant: { ...grant, tokens }, issued: { token, issuedAtMs: nowMs, expiresAtMs } }
}

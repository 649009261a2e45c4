/** `leasehold token bootstrap create|list|revoke`: what new hosts join with. */
import { type BootstrapToken, isExpired } from '../../shared/auth/join/bootstrap-token.ts'
import {
  createBootstrapToken,
  listBootstrapTokens,
  revokeBootstrapToken,
} from '../../shared/auth/join/bootstrap-tokens.ts'
import {
  type FlagValues,
  flag,
  repeatable,
  stringFlag,
  stringFlags,
  UsageError,
} from '../../shared/flags/flag-set.ts'
import { formatTime } from '../../shared/kube/time.ts'
import type { Command } from './command.ts'
import { parseTtlMs } from './duration.ts'
import { locateInstall } from './install-location.ts'

const DEFAULT_TTL = '24h'

export const bootstrapCreate: Command = {
  words: ['token', 'bootstrap', 'create'],
  summary: 'make a token that new hosts join with',
  flags: {
    ttl: flag('TIME', 'how long hosts may join with it, or "never"', DEFAULT_TTL),
    uses: flag('N', 'how many hosts may join with it', 'any number'),
    group: repeatable(flag('GROUP', 'may be repeated; must begin with system:bootstrappers:')),
    description: flag('TEXT', 'for the list'),
  },
  notes: 'The token goes to standard output and is shown this once: only its hash is kept.',
  async run(values, context) {
    const ttl = stringFlag(values.ttl) ?? DEFAULT_TTL
    const request = {
      description: stringFlag(values.description),
      groups: stringFlags(values.group),
      lifetimeMs: ttl === 'never' ? undefined : parseTtlMs(ttl),
      uses: usesOf(values),
    }
    const store = await context.open(locateInstall(values, context.env)).store()
    const { randomInt } = context
    context.print(await createBootstrapToken(store, request, { nowMs: context.nowMs(), randomInt }))
  },
}

function usesOf(values: FlagValues): number | undefined {
  const written = stringFlag(values.uses)
  if (written === undefined) return undefined
  if (!/^[1-9]\d{0,5}$/.test(written)) throw new UsageError('--uses is a number of hosts, from 1')
  return Number(written)
}

export const bootstrapList: Command = {
  words: ['token', 'bootstrap', 'list'],
  summary: 'show the bootstrap tokens there are, without their secrets',
  async run(values, context) {
    const store = await context.open(locateInstall(values, context.env)).store()
    const tokens = await listBootstrapTokens(store.records)
    const rows = tokens.map(({ value }) => rowOf(value, context.nowMs()))
    context.print(columns([['ID', 'EXPIRES', 'USES LEFT', 'GROUPS', 'DESCRIPTION'], ...rows]))
  },
}

function rowOf(token: BootstrapToken, nowMs: number): string[] {
  const { id, expiresAtMs, usesLeft, groups, description } = token
  const expires = expiresAtMs === undefined ? 'never' : formatTime(expiresAtMs)
  return [
    id,
    isExpired(token, nowMs) ? 'expired' : expires,
    usesLeft === undefined ? 'any' : String(usesLeft),
    groups.join(',') || '-',
    description ?? '-',
  ]
}

/** As kubectl prints: three blanks between columns. */
export function columns(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, at) =>
    Math.max(...rows.map((row) => row[at]?.length ?? 0)),
  )
  const line = (row: readonly string[]) =>
    row
      .map((cell, at) => cell.padEnd((widths[at] ?? 0) + 3))
      .join('')
      .trimEnd()
  return rows.map(line).join('\n')
}

export const bootstrapRevoke: Command = {
  words: ['token', 'bootstrap', 'revoke'],
  summary: 'let no more hosts join with a bootstrap token: revoke ID',
  notes: 'ID is the part before the dot. Hosts that joined with it keep their own tokens.',
  operands: 1,
  async run(values, context, [id = '']) {
    const store = await context.open(locateInstall(values, context.env)).store()
    const outcome = await revokeBootstrapToken(store, id.slice(0, 6))
    if (outcome === 'absent')
      throw new UsageError(`there is no bootstrap token "${id.slice(0, 6)}"`)
    context.tell(`${id.slice(0, 6)} is revoked`)
  },
}

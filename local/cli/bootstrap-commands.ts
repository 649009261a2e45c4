/** `leasehold token bootstrap create|list|revoke`: what new hosts join with. */
import { type BootstrapToken, isExpired } from '../../shared/auth/bootstrap-token.ts'
import {
  createBootstrapToken,
  listBootstrapTokens,
  revokeBootstrapToken,
} from '../../shared/auth/bootstrap-tokens.ts'
import { formatTime } from '../../shared/kube/time.ts'
import { type Command, text, texts, UsageError, type Values } from './command.ts'
import { parseDurationMs } from './duration.ts'
import { installHelp, installOptions, readSettings } from './settings.ts'

const DEFAULT_TTL = '24h'

export const bootstrapCreate: Command = {
  words: ['token', 'bootstrap', 'create'],
  summary: 'make a token that new hosts join with',
  help: `  --ttl 24h             how long hosts may join with it (default ${DEFAULT_TTL}), or "never"
  --uses N              how many hosts may join with it (default: any number)
  --group GROUP         may be repeated; must begin with system:bootstrappers:
  --description TEXT    for the list

${installHelp}

The token goes to standard output and is shown this once: only its hash is kept.`,
  options: {
    ...installOptions,
    ttl: { type: 'string' },
    uses: { type: 'string' },
    group: { type: 'string', multiple: true },
    description: { type: 'string' },
  },
  async run(values, world) {
    const ttl = text(values.ttl) ?? DEFAULT_TTL
    const request = {
      description: text(values.description),
      groups: texts(values.group),
      lifetimeMs: ttl === 'never' ? undefined : parseDurationMs(ttl),
      uses: usesOf(values),
    }
    const store = await world.open(readSettings(values, world.env)).store()
    const { randomInt } = world
    world.print(await createBootstrapToken(store, request, { nowMs: world.nowMs(), randomInt }))
  },
}

function usesOf(values: Values): number | undefined {
  const written = text(values.uses)
  if (written === undefined) return undefined
  if (!/^[1-9]\d{0,5}$/.test(written)) throw new UsageError('--uses is a number of hosts, from 1')
  return Number(written)
}

export const bootstrapList: Command = {
  words: ['token', 'bootstrap', 'list'],
  summary: 'show the bootstrap tokens there are, without their secrets',
  help: installHelp,
  options: installOptions,
  async run(values, world) {
    const store = await world.open(readSettings(values, world.env)).store()
    const tokens = await listBootstrapTokens(store.records)
    const rows = tokens.map(({ value }) => rowOf(value, world.nowMs()))
    world.print(columns([['ID', 'EXPIRES', 'USES LEFT', 'GROUPS', 'DESCRIPTION'], ...rows]))
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
function columns(rows: readonly (readonly string[])[]): string {
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
  help: `${installHelp}

ID is the part before the dot. Hosts that joined with it keep their own tokens.`,
  options: installOptions,
  operands: 1,
  async run(values, world, [id = '']) {
    const store = await world.open(readSettings(values, world.env)).store()
    const outcome = await revokeBootstrapToken(store, id.slice(0, 6))
    if (outcome === 'absent')
      throw new UsageError(`there is no bootstrap token "${id.slice(0, 6)}"`)
    world.tell(`${id.slice(0, 6)} is revoked`)
  },
}

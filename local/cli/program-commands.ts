/** `leasehold program grant|list|revoke|renew`: credentials of programs that run without the admin key. */
import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { httpTransport } from '../../agent/http.ts'
import { grantLimits, isGrantable, programInToken } from '../../shared/auth/programs/grant.ts'
import { createGrant, listGrants, revokeGrant } from '../../shared/auth/programs/grants.ts'
import {
  type FlagValues,
  flag,
  repeatable,
  stringFlag,
  stringFlags,
  UsageError,
} from '../../shared/flags/flag-set.ts'
import { kubeconfigText } from '../../shared/kube/kubeconfig.ts'
import { labelName } from '../../shared/kube/meta/names.ts'
import { formatTime } from '../../shared/kube/time.ts'
import { writePrivate } from '../private-file.ts'
import { columns } from './bootstrap-commands.ts'
import type { Command, Install } from './command.ts'
import { parseTtlMs } from './duration.ts'
import { locateInstall } from './install-location.ts'

const DEFAULTS = { ends: '90d', ttl: '24h' }
const DAY_MS = 24 * 60 * 60_000

export const programGrant: Command = {
  words: ['program', 'grant'],
  summary: 'let a program in that renews its own token: grant NAME',
  flags: {
    group: repeatable(
      flag('GROUP', 'leasehold:viewers, leasehold:operators or leasehold:lease-users:<namespace>'),
    ),
    ends: flag('90d', 'when the grant ends, renewed or not: at most 366d', DEFAULTS.ends),
    ttl: flag('24h', 'how long each of its tokens lives: 1h to 7d', DEFAULTS.ttl),
    description: flag('TEXT', 'for the list'),
    out: flag('DIR', 'write the files token and kubeconfig there', 'the token to standard output'),
  },
  notes: `The token is shown this once: only its hash is kept. Before it has run out, where the program
runs and without any key: npx --no-install leasehold program renew DIR (once an
hour, say)`,
  operands: 1,
  async run(values, context, [name = '']) {
    const install = context.open(locateInstall(values, context.env))
    const nowMs = context.nowMs()
    const { randomInt } = context
    const request = { name, ...requestOf(values, name, nowMs) }
    const issued = await createGrant(await install.store(), request, { nowMs, randomInt })
    if (issued === 'taken')
      throw new UsageError(`"${name}" has a grant; program revoke ${name} first`)
    const until = formatTime(issued.expiresAtMs)
    context.tell(`valid until ${until}; the grant ends ${formatTime(request.endsAtMs)}`)
    const folder = stringFlag(values.out)
    if (folder === undefined) return context.print(issued.token)
    writeFiles(install, folder, name, issued.token)
    context.tell(`written; now: kubectl --kubeconfig ${join(folder, 'kubeconfig')} get nodes`)
  },
}

function requestOf(values: FlagValues, name: string, nowMs: number) {
  const groups = stringFlags(values.group)
  const lastsMs = parseTtlMs(stringFlag(values.ends) ?? DEFAULTS.ends)
  const tokenLifetimeMs = parseTtlMs(stringFlag(values.ttl) ?? DEFAULTS.ttl)
  const bad = groups.find((group) => !isGrantable(group))
  if (labelName(name).length > 0)
    throw new UsageError('a name is made of lower-case letters, digits and -')
  if (groups.length === 0) throw new UsageError('say what it may do: --group leasehold:viewers')
  if (bad !== undefined) throw new UsageError(`group "${bad}" is not given to programs`)
  if (lastsMs > grantLimits.longestMs)
    throw new UsageError(`--ends: at most ${grantLimits.longestMs / DAY_MS}d`)
  const { shortestTokenMs, longestTokenMs } = grantLimits
  if (tokenLifetimeMs < shortestTokenMs || tokenLifetimeMs > longestTokenMs)
    throw new UsageError('--ttl: from 1h to 7d')
  const description = stringFlag(values.description)
  return {
    groups,
    endsAtMs: nowMs + lastsMs,
    tokenLifetimeMs,
    ...(description !== undefined && { description }),
  }
}

function writeFiles(install: Install, folder: string, user: string, token: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  writePrivate(join(folder, 'token'), `${token}\n`)
  // Clients look for it beside the kubeconfig, and read it again when it is replaced.
  const auth = { tokenFile: 'token' }
  const facts = { server: install.server(), ca: install.ca(), user, auth }
  writePrivate(join(folder, 'kubeconfig'), `${kubeconfigText(facts)}\n`)
}

export const programList: Command = {
  words: ['program', 'list'],
  summary: 'show what was granted to programs, and when their tokens were last renewed',
  async run(values, context) {
    const store = await context.open(locateInstall(values, context.env)).store()
    const rows = (await listGrants(store.records)).map(({ value }) => [
      value.name,
      value.groups.join(','),
      context.nowMs() < value.endsAtMs ? formatTime(value.endsAtMs) : 'ended',
      formatTime(value.tokens[0]?.issuedAtMs ?? value.createdAtMs),
      value.description ?? '-',
    ])
    context.print(columns([['NAME', 'GROUPS', 'ENDS', 'RENEWED', 'DESCRIPTION'], ...rows]))
  },
}

export const programRevoke: Command = {
  words: ['program', 'revoke'],
  summary: 'end the grant of a program, and its tokens with it: revoke NAME',
  operands: 1,
  async run(values, context, [name = '']) {
    const store = await context.open(locateInstall(values, context.env)).store()
    const outcome = await revokeGrant(store, name)
    if (outcome === 'absent') throw new UsageError(`nothing is granted to "${name}"`)
    context.tell(`${name} is revoked`)
  },
}

export const programRenew: Command = {
  words: ['program', 'renew'],
  summary: 'replace the token in a folder that program grant wrote: renew DIR',
  notes:
    'Needs the two files of the folder and nothing else. A reader of the old token has ten minutes.',
  operands: 1,
  async run(_values, context, [folder = '']) {
    const file = join(folder, 'token')
    const present = readFileSync(file, 'utf8').trim()
    const name = programInToken(present)
    if (name === undefined) throw new UsageError(`${file} holds no token of a program`)
    const { server, ca } = clusterIn(join(folder, 'kubeconfig'))
    const path = `/apis/leasehold.dev/v1/programs/${name}/token`
    const response = await httpTransport({ server, ca }).exchange({ method: 'POST', path }, present)
    const { status } = (response.body ?? {}) as {
      status?: { token?: string; expirationTimestamp?: string }
    }
    if (response.code !== 201 || !status?.token) throw new Error(`not renewed: ${response.why}`)
    writePrivate(file, `${status.token}\n`)
    context.tell(`valid until ${status.expirationTimestamp}`)
  },
}

/** Of a kubeconfig that this program wrote, which is JSON. */
function clusterIn(file: string): { readonly server: string; readonly ca?: string } {
  const { clusters } = JSON.parse(readFileSync(file, 'utf8'))
  const { server, 'certificate-authority-data': authority } = clusters[0].cluster
  return { server, ...(authority && { ca: Buffer.from(authority, 'base64').toString() }) }
}

/**
 * `leasehold kubeconfig` and `leasehold credential`: kubectl asks the second for a token whenever
 * it needs one.
 */
import { resolve } from 'node:path'
import {
  type FlagSet,
  type FlagValues,
  flag,
  repeatable,
  stringFlag,
  stringFlags,
} from '../../shared/flags/flag-set.ts'
import { kubeconfigText } from '../../shared/kube/kubeconfig.ts'
import { formatTime } from '../../shared/kube/time.ts'
import { writePrivate } from '../private-file.ts'
import type { Command, CommandContext, InstallLocation } from './command.ts'
import { locateInstall } from './install-location.ts'
import { userToken } from './token-commands.ts'

const whoFlags: FlagSet = {
  user: flag('NAME', 'who you are', 'admin'),
  group: repeatable(flag('GROUP', 'may be repeated', 'system:masters')),
}
/** Short, because kubectl asks for a new one by itself. */
const CREDENTIAL_TTL = '1h'
const EXEC_API_VERSION = 'client.authentication.k8s.io/v1'

/**
 * Without --user and --group the caller is the administrator: signing needs the admin key anyway.
 */
function withWho(values: FlagValues): FlagValues {
  const named = stringFlag(values.user) !== undefined || stringFlags(values.group).length > 0
  if (named) return { ...values, user: stringFlag(values.user) ?? 'admin' }
  return { ...values, user: 'admin', group: ['system:masters'] }
}

export const credential: Command = {
  words: ['credential'],
  summary: 'print an ExecCredential: what a kubeconfig calls, not a person',
  flags: whoFlags,
  async run(values, context) {
    const install = context.open(locateInstall(values, context.env))
    const who = { ...withWho(values), ttl: CREDENTIAL_TTL }
    const { token, expiresAtMs } = await userToken(install, context, who)
    context.print(
      JSON.stringify({
        apiVersion: EXEC_API_VERSION,
        kind: 'ExecCredential',
        status: { token, expirationTimestamp: formatTime(expiresAtMs) },
      }),
    )
  },
}

export const kubeconfigCommand: Command = {
  words: ['kubeconfig'],
  summary: 'write a kubeconfig whose tokens renew themselves',
  flags: {
    out: flag('FILE', 'where to', 'standard output'),
    ...whoFlags,
  },
  notes: 'Then: kubectl --kubeconfig FILE get nodes',
  async run(values, context) {
    const location = locateInstall(values, context.env)
    const install = context.open(location)
    const who = withWho(values)
    const user = stringFlag(who.user) ?? 'admin'
    const exec = {
      apiVersion: EXEC_API_VERSION,
      command: context.program.command,
      args: execArgs(who, location, context),
      ...(location.kind === 'aws' && execEnvironment(context)),
      interactiveMode: 'Never',
    }
    const facts = { server: install.server(), ca: install.ca(), user, auth: { exec } }
    const config = kubeconfigText(facts)
    const file = stringFlag(values.out)
    if (file === undefined) return context.print(config)
    writePrivate(file, `${config}\n`)
    context.tell(`written; now: kubectl --kubeconfig ${file} get nodes`)
  },
}

/** kubectl may call from any folder and without this environment, so every choice is written out. */
function execArgs(
  who: FlagValues,
  location: InstallLocation,
  { program }: CommandContext,
): string[] {
  const groups = stringFlags(who.group).flatMap((group) => ['--group', group])
  const where =
    location.kind === 'local'
      ? ['--data', resolve(location.folder)]
      : ['--admin-key', location.adminKey ?? '']
  const user = stringFlag(who.user) ?? ''
  return [...program.args, 'credential', '--user', user, ...groups, ...where]
}

/** A key's id names neither its region nor its account. */
function execEnvironment({ env }: CommandContext) {
  const named = ['AWS_REGION', 'AWS_PROFILE'].flatMap((name) =>
    env[name] ? [{ name, value: env[name] }] : [],
  )
  return named.length > 0 ? { env: named } : {}
}

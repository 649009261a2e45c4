/**
 * `leasehold kubeconfig` and `leasehold credential`: kubectl asks the second for a token whenever
 * it needs one.
 */
import { resolve } from 'node:path'
import { formatTime } from '../../shared/kube/time.ts'
import { writePrivate } from '../private-file.ts'
import { type Command, text, texts, type Values, type World } from './command.ts'
import { installHelp, installOptions, readSettings } from './settings.ts'
import { userToken } from './token-commands.ts'

const whoOptions = {
  user: { type: 'string' },
  group: { type: 'string', multiple: true },
} as const
const whoHelp = `  --user NAME           who you are (default admin)
  --group GROUP         may be repeated (default system:masters)`
/** Short, because a new one is a moment away. */
const CREDENTIAL_TTL = '1h'

/**
 * Whoever says nothing is the administrator: only somebody who may use the admin key gets this far.
 */
function withWho(values: Values): Values {
  const named = text(values.user) !== undefined || texts(values.group).length > 0
  if (named) return { ...values, user: text(values.user) ?? 'admin' }
  return { ...values, user: 'admin', group: ['system:masters'] }
}

export const credential: Command = {
  words: ['credential'],
  summary: 'print an ExecCredential: what a kubeconfig calls, not a person',
  help: `${whoHelp}\n\n${installHelp}`,
  options: { ...installOptions, ...whoOptions },
  async run(values, world) {
    const install = world.open(readSettings(values, world.env))
    const who = { ...withWho(values), ttl: CREDENTIAL_TTL }
    const { token, expiresAtMs } = await userToken(install, world, who)
    world.print(
      JSON.stringify({
        apiVersion: 'client.authentication.k8s.io/v1',
        kind: 'ExecCredential',
        status: { token, expirationTimestamp: formatTime(expiresAtMs) },
      }),
    )
  },
}

export const kubeconfigCommand: Command = {
  words: ['kubeconfig'],
  summary: 'write a kubeconfig whose tokens renew themselves',
  help: `  --out FILE            where to (default: standard output)
${whoHelp}

${installHelp}

Then: kubectl --kubeconfig FILE get nodes`,
  options: { ...installOptions, ...whoOptions, out: { type: 'string' } },
  async run(values, world) {
    const settings = readSettings(values, world.env)
    const install = world.open(settings)
    const who = withWho(values)
    const config = kubeconfigText({
      server: install.server(),
      ca: install.ca(),
      user: text(who.user) ?? 'admin',
      exec: {
        command: world.program.command,
        args: callArgs(who, settings, world),
        ...(settings.kind === 'aws' && callEnvironment(world)),
      },
    })
    const file = text(values.out)
    if (file === undefined) return world.print(config)
    writePrivate(file, `${config}\n`)
    world.tell(`written; now: kubectl --kubeconfig ${file} get nodes`)
  },
}

type Settings = ReturnType<typeof readSettings>

/** kubectl may call from any folder, so what was meant is written out. */
function callArgs(who: Values, settings: Settings, world: World): readonly string[] {
  const groups = texts(who.group).flatMap((group) => ['--group', group])
  const where =
    settings.kind === 'local'
      ? ['--data', resolve(settings.folder)]
      : ['--admin-key', settings.adminKey ?? '']
  return [...world.program.args, 'credential', '--user', text(who.user) ?? '', ...groups, ...where]
}

/** kubectl may be called from a shell of another region or account: a key's id does not name them. */
function callEnvironment({ env }: World): Pick<Exec, 'env'> {
  const named = ['AWS_REGION', 'AWS_PROFILE'].flatMap((name) =>
    env[name] ? [{ name, value: env[name] }] : [],
  )
  return named.length > 0 ? { env: named } : {}
}

interface Exec {
  readonly command: string
  readonly args: readonly string[]
  readonly env?: readonly { readonly name: string; readonly value: string }[]
}

interface KubeconfigFacts {
  readonly server: string
  readonly ca: string | undefined
  readonly user: string
  readonly exec: Exec
}

/** JSON is YAML. */
function kubeconfigText({ server, ca, user, exec }: KubeconfigFacts): string {
  const name = 'leasehold'
  const authority = ca && { 'certificate-authority-data': Buffer.from(ca).toString('base64') }
  const apiVersion = 'client.authentication.k8s.io/v1'
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name, cluster: { server, ...authority } }],
    users: [{ name: user, user: { exec: { apiVersion, ...exec, interactiveMode: 'Never' } } }],
    contexts: [{ name, context: { cluster: name, user } }],
    'current-context': name,
  }
  return JSON.stringify(config, undefined, 2)
}

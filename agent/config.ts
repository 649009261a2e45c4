/**
 * What was the agent told? Flags win over the environment, that over the file, and that over
 * defaults.
 */
import { parseArgs } from 'node:util'
import { quantityValue } from './amounts.ts'
import * as values from './option-values.ts'
import { envName, OPTIONS } from './options.ts'
import { heartbeat } from './schedule.ts'
import { DEFAULTS, type Settings } from './settings.ts'
import { thresholds } from './thresholds.ts'

export type Given = Readonly<Record<string, string>>

export interface Config {
  readonly mode: 'run' | 'check' | 'help' | 'version'
  readonly server: string
  readonly caFile?: string
  readonly bootstrapToken?: string
  readonly bootstrapTokenFile?: string
  readonly stateDir: string
  readonly nodeName?: string
  readonly diskPath: string
  readonly checksDir?: string
  readonly pods?:
    | { readonly kind: 'hook'; readonly program: string }
    | { readonly kind: 'systemd'; readonly prefix?: string }
  readonly isFencing: boolean
  readonly leavesOnTerm: boolean
  readonly settings: Settings
}

/** Everything wrong at once, so that one need not try again for each. */
export class ConfigError extends Error {
  constructor(problems: readonly string[]) {
    super(problems.join('\n'))
    this.name = 'ConfigError'
  }
}

export interface Sources {
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string | undefined>>
  readFile(path: string): string
}

export function readConfig(sources: Sources): Config {
  const flags = readFlags(sources.args)
  const env = readEnv(sources.env)
  const file = flags.config ?? env.config
  const fromFile = file === undefined ? {} : readLines(file, readWhole(sources, file))
  return interpret({ ...fromFile, ...env, ...flags }, sources.env)
}

function readWhole({ readFile }: Sources, file: string): string {
  try {
    return readFile(file)
  } catch (error) {
    throw new ConfigError([`--config: ${(error as Error).message}`])
  }
}

function readFlags(args: readonly string[]): Given {
  const types = OPTIONS.map(
    ({ name, value }) => [name, { type: value ? 'string' : 'boolean' }] as const,
  )
  try {
    const { values: found } = parseArgs({
      args: [...args],
      options: Object.fromEntries(types),
      strict: true,
    })
    return Object.fromEntries(Object.entries(found).map(([name, value]) => [name, String(value)]))
  } catch (error) {
    const [first = ''] = (error as Error).message.split('. ')
    throw new ConfigError([`${first}; see --help`])
  }
}

function readEnv(env: Sources['env']): Given {
  const found = OPTIONS.map(({ name }) => [name, env[envName(name)]] as const)
  return Object.fromEntries(found.filter((entry): entry is [string, string] => !!entry[1]))
}

function readLines(file: string, text: string): Given {
  const names = new Set(OPTIONS.map(({ name }) => name))
  const problems: string[] = []
  const found: Record<string, string> = {}
  for (const [index, line] of text.split('\n').entries()) {
    const bare = line.trim()
    if (bare === '' || bare.startsWith('#')) continue
    const [, name = '', value = ''] = /^([a-z-]+)\s*(?:=\s*(.*))?$/.exec(bare) ?? []
    if (names.has(name) && name !== 'config') found[name] = value
    // Not the whole line: it may be the token, under a name that was misspelt.
    else problems.push(`${file}:${index + 1}: "${bare.split('=')[0]}" is no option; see --help`)
  }
  if (problems.length > 0) throw new ConfigError(problems)
  return found
}

type Reader = <T>(name: string, read: (text: string) => T) => T | undefined

function interpret(given: Given, env: Sources['env']): Config {
  const problems: string[] = []
  const read: Reader = (name, convert) => {
    const text = given[name]
    if (text === undefined) return undefined
    try {
      return convert(text)
    } catch (error) {
      problems.push(`--${name}: ${(error as Error).message}`)
      return undefined
    }
  }
  const config: Config = {
    mode: modeOf(given),
    server: read('server', serverUrl) ?? '',
    caFile: given['ca-file'],
    bootstrapToken: read('bootstrap-token', bootstrapToken),
    bootstrapTokenFile: given['bootstrap-token-file'],
    // systemd says where, when the unit has a StateDirectory.
    stateDir: given['state-dir'] ?? env.STATE_DIRECTORY ?? '/var/lib/leasehold-agent',
    nodeName: read('node-name', nodeName),
    diskPath: given['disk-path'] ?? '/',
    checksDir: given['checks-dir'],
    pods: read('pod-driver', (word) => systemd(word, given)) ?? hook(given['pod-hook']),
    isFencing: read('fence', values.truth) ?? false,
    leavesOnTerm: read('leave', values.truth) ?? false,
    settings: readSettings(read, problems),
  }
  if (config.mode === 'help' || config.mode === 'version') return config
  if (given.server === undefined) problems.push('--server is required: the address of the service')
  if (config.isFencing && !config.pods) problems.push('--fence needs --pod-hook or --pod-driver')
  if (problems.length > 0) throw new ConfigError(problems)
  return config
}

function modeOf(given: Given): Config['mode'] {
  if (given.help) return 'help'
  if (given.version) return 'version'
  return given.check ? 'check' : 'run'
}

function readSettings(read: Reader, problems: string[]): Settings {
  const seconds = (text: string) => values.durationMs(text) / 1_000
  const zone = read('zone', (text) => ({ 'topology.kubernetes.io/zone': text }))
  const region = read('region', (text) => ({ 'topology.kubernetes.io/region': text }))
  return {
    ...DEFAULTS,
    heartbeat: guarded(problems, DEFAULTS.heartbeat, () =>
      heartbeat({
        nodeLeaseDurationSeconds: read('node-lease-duration-seconds', values.wholeNumber),
        nodeStatusUpdateFrequencySeconds: read('node-status-update-frequency', seconds),
        nodeStatusReportFrequencySeconds: read('node-status-report-frequency', seconds),
      }),
    ),
    graceMs: read('node-monitor-grace-period', values.durationMs) ?? DEFAULTS.graceMs,
    nodeIps: read('node-ip', values.list) ?? [],
    labels: { ...read('node-labels', values.labels), ...zone, ...region },
    taints: read('register-with-taints', values.taints) ?? [],
    providerId: read('provider-id', (text) => text),
    maxPods: read('max-pods', values.wholeNumber) ?? DEFAULTS.maxPods,
    reserved: read('system-reserved', quantities) ?? {},
    thresholds: guarded(problems, [], () => readThresholds(read)),
    transitionMs:
      read('eviction-pressure-transition-period', values.durationMs) ?? DEFAULTS.transitionMs,
  }
}

function readThresholds(read: Reader): Settings['thresholds'] {
  const settings = {
    evictionHard: read('eviction-hard', values.pairs),
    evictionSoft: read('eviction-soft', values.pairs),
    evictionSoftGraceMs: read('eviction-soft-grace-period', durations),
    evictionMinimumReclaim: read('eviction-minimum-reclaim', values.pairs),
  }
  return thresholds(settings, process.platform)
}

const durations = (text: string) =>
  Object.fromEntries(
    Object.entries(values.pairs(text)).map(([key, each]) => [key, values.durationMs(each)]),
  )

function quantities(text: string): Given {
  const found = values.pairs(text)
  for (const each of Object.values(found)) quantityValue(each)
  return found
}

function guarded<T>(problems: string[], otherwise: T, make: () => T): T {
  try {
    return make()
  } catch (error) {
    problems.push((error as Error).message)
    return otherwise
  }
}

function serverUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url?.protocol !== 'https:' && url?.protocol !== 'http:') {
    throw new Error(`"${text}" is not an address such as https://leasehold.example.com`)
  }
  return text
}

export function bootstrapToken(text: string): string {
  if (!/^[a-z0-9]{6}\.[a-z0-9]{16}$/.test(text)) {
    throw new Error('is not of the form abcdef.0123456789abcdef')
  }
  return text
}

export function nodeName(text: string): string {
  // As the kubelet makes it of a host name.
  const name = text.trim().toLowerCase()
  if (
    name.length > 253 ||
    !/^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$/.test(name)
  ) {
    throw new Error(`"${text}" is not a legal name: letters, digits, dashes and dots`)
  }
  return name
}

function systemd(word: string, given: Given): Config['pods'] {
  if (word !== 'systemd') throw new Error(`"${word}" is unknown; there is systemd`)
  return { kind: 'systemd', prefix: given['systemd-unit-prefix'] }
}

const hook = (program: string | undefined): Config['pods'] =>
  program === undefined ? undefined : { kind: 'hook', program }

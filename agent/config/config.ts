/** The agent's configuration. Flags win over the environment, that over the file and defaults. */
import { parseFlags } from '../../shared/flags/flag-set.ts'
import { heartbeat } from '../lease/schedule.ts'
import { thresholds } from '../machine/eviction-thresholds.ts'
import * as values from './flag-values.ts'
import { commandLineFlags, envName, FLAGS } from './flags.ts'
import { type AgentSettings, DEFAULTS } from './settings.ts'

type GivenOptions = Readonly<Record<string, string>>

export interface Config {
  readonly mode: 'run' | 'check' | 'help' | 'version'
  readonly server: string
  /** PEM. */
  readonly ca?: string
  readonly bootstrapToken?: string
  readonly nodeToken?: string
  readonly stateDir: string
  readonly sharedTokenDir?: string
  readonly nodeName?: string
  readonly registersNode: boolean
  readonly cloud: 'none' | 'aws'
  /** Where the metadata service answers, if not at its usual address; named as by AWS. */
  readonly metadataEndpoint?: string
  readonly diskPath: string
  readonly checksDir?: string
  readonly pods?:
    | { readonly kind: 'hook'; readonly program: string }
    | { readonly kind: 'systemd'; readonly prefix?: string }
  readonly isFencing: boolean
  readonly leavesOnTerm: boolean
  readonly settings: AgentSettings
}

/** All problems at once, so that the user can mend them in one go. */
export class ConfigError extends Error {
  constructor(problems: readonly string[]) {
    super(problems.join('\n'))
    this.name = 'ConfigError'
  }
}

interface Sources {
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string | undefined>>
  readFile(path: string): string
}

export function readConfig(sources: Sources): Config {
  const flags = readFlags(sources.args)
  const env = readEnv(sources.env)
  const file = flags.config ?? env.config
  const fromFile = file === undefined ? {} : readLines(sources, file)
  return interpret({ ...fromFile, ...env, ...flags }, sources)
}

/** What goes wrong in `read` is a mistake in that option. */
export function readOption<T>(option: string, read: () => T): T {
  try {
    return read()
  } catch (error) {
    throw new ConfigError([`--${option}: ${(error as Error).message}`])
  }
}

function readFlags(args: readonly string[]): GivenOptions {
  try {
    const found = Object.entries(parseFlags(commandLineFlags, args).values)
    return Object.fromEntries(found.map(([name, value]) => [name, String(value)]))
  } catch (error) {
    throw new ConfigError([`${(error as Error).message}; "leasehold-agent --help" says more`])
  }
}

function readEnv(env: Sources['env']): GivenOptions {
  const found = Object.keys(FLAGS).map((name) => [name, env[envName(name)]] as const)
  return Object.fromEntries(found.filter((entry): entry is [string, string] => !!entry[1]))
}

function readLines({ readFile }: Sources, file: string): GivenOptions {
  const text = readOption('config', () => readFile(file))
  const problems: string[] = []
  const found: Record<string, string> = {}
  for (const [index, line] of text.split('\n').entries()) {
    const bare = line.trim()
    if (bare === '' || bare.startsWith('#')) continue
    const [, name = '', value = ''] = /^([a-z-]+)\s*(?:=\s*(.*))?$/.exec(bare) ?? []
    if (Object.hasOwn(FLAGS, name) && name !== 'config') found[name] = value
    // Not the whole line: it may be the token, under a misspelt name.
    else problems.push(`${file}:${index + 1}: "${bare.split('=')[0]}" is no option; see --help`)
  }
  if (problems.length > 0) throw new ConfigError(problems)
  return found
}

type Reader = <T>(name: string, read: (text: string) => T) => T | undefined

function interpret(given: GivenOptions, { env, readFile }: Sources): Config {
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
    server: read('server', values.serverUrl) ?? '',
    ca: read('ca-file', readFile),
    bootstrapToken:
      read('bootstrap-token', values.bootstrapToken) ??
      read('bootstrap-token-file', (file) => tokenIn(readFile, file, values.bootstrapToken)),
    nodeToken: read('node-token-file', (file) => tokenIn(readFile, file, values.nodeToken)),
    // systemd says where, when the unit has a StateDirectory.
    stateDir: given['state-dir'] ?? env.STATE_DIRECTORY ?? '/var/lib/leasehold-agent',
    sharedTokenDir: given['share-token-dir'],
    nodeName: read('node-name', values.nodeName),
    registersNode: read('register-node', values.trueOrFalse) ?? true,
    cloud: read('cloud-provider', values.cloudProvider) ?? 'none',
    metadataEndpoint: env.AWS_EC2_METADATA_SERVICE_ENDPOINT,
    diskPath: given['disk-path'] ?? '/',
    checksDir: given['checks-dir'],
    pods: read('pod-driver', (word) => systemd(word, given)) ?? hook(given['pod-hook']),
    isFencing: read('fence', values.trueOrFalse) ?? false,
    leavesOnTerm: read('leave', values.trueOrFalse) ?? false,
    settings: readSettings(read, problems),
  }
  if (config.mode === 'help' || config.mode === 'version') return config
  if (given.server === undefined) problems.push('--server is required: the address of the service')
  if (config.isFencing && !config.pods) problems.push('--fence needs --pod-hook or --pod-driver')
  if (problems.length > 0) throw new ConfigError(problems)
  return config
}

/** A missing or empty file is no error: an operator may remove the token after the host joined. */
function tokenIn(
  readFile: Sources['readFile'],
  file: string,
  check: (text: string) => string,
): string | undefined {
  const text = readIfExists(readFile, file).trim()
  return text === '' ? undefined : check(text)
}

function readIfExists(readFile: Sources['readFile'], file: string): string {
  try {
    return readFile(file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return ''
    throw error
  }
}

function modeOf(given: GivenOptions): Config['mode'] {
  if (given.help) return 'help'
  if (given.version) return 'version'
  return given.check ? 'check' : 'run'
}

function readSettings(read: Reader, problems: string[]): AgentSettings {
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
    nodeIps: read('node-ip', values.commaList) ?? [],
    moreAddresses: (read('node-external-ip', values.ipList) ?? []).map((address) => ({
      type: 'ExternalIP',
      address,
    })),
    labels: { ...read('node-labels', values.labels), ...zone, ...region },
    taints: read('register-with-taints', values.taints) ?? [],
    providerId: read('provider-id', (text) => text),
    maxPods: read('max-pods', values.wholeNumber) ?? DEFAULTS.maxPods,
    reserved: read('system-reserved', values.quantities) ?? {},
    thresholds: guarded(problems, [], () => readThresholds(read)),
    transitionMs:
      read('eviction-pressure-transition-period', values.durationMs) ?? DEFAULTS.transitionMs,
  }
}

function readThresholds(read: Reader): AgentSettings['thresholds'] {
  const settings = {
    evictionHard: read('eviction-hard', values.pairs),
    evictionSoft: read('eviction-soft', values.pairs),
    evictionSoftGraceMs: read('eviction-soft-grace-period', values.durationsMs),
    evictionMinimumReclaim: read('eviction-minimum-reclaim', values.pairs),
  }
  return thresholds(settings, process.platform)
}

function guarded<T>(problems: string[], otherwise: T, make: () => T): T {
  try {
    return make()
  } catch (error) {
    problems.push((error as Error).message)
    return otherwise
  }
}

function systemd(word: string, given: GivenOptions): Config['pods'] {
  if (word !== 'systemd') throw new Error(`"${word}" is unknown; there is systemd`)
  return { kind: 'systemd', prefix: given['systemd-unit-prefix'] }
}

const hook = (program: string | undefined): Config['pods'] =>
  program === undefined ? undefined : { kind: 'hook', program }

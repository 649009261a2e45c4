/** The options of local mode: `npm start -- --nodes 50 --node-monitor-grace-period 3s`. */
import { isIP } from 'node:net'
import {
  type FlagSet,
  type FlagValues,
  flag,
  repeatable,
  stringFlag,
  stringFlags,
  UsageError,
  wholeFlag,
} from '../shared/flags/flag-set.ts'
import type { SettingKind } from '../shared/lifecycle/setting-group.ts'
import {
  defaultSettings,
  parseSettings,
  type Settings,
  settingNames,
} from '../shared/lifecycle/settings.ts'

export interface ListenAddress {
  readonly address: string
  readonly port: number
}

export interface LocalOptions {
  readonly listen: ListenAddress
  /** Whether hosts of a network are served: `--listen` was given. */
  readonly isPublic: boolean
  /** What hosts call the server, for its certificate. */
  readonly tlsNames: readonly string[]
  /** A certificate for those names, instead of one of its own. */
  readonly tlsFiles?: { readonly cert: string; readonly key: string }
  /** The page over plain http on loopback; absent: over https only. */
  readonly dashboardPort?: number
  readonly loggingFormat: 'text' | 'json'
  /** Absent: nothing survives the process but its keys. */
  readonly dataFolder?: string
  readonly nodes: number
  readonly zones: number
  /** On each simulated host. */
  readonly pods: number
  readonly reschedules: boolean
  readonly eventBus?: string
  readonly settings: Settings
}

/** More would starve a small machine and show nothing new. */
export const MOST_NODES = 10_000
export const MOST_ZONES = 100
/** A host has room for 110. */
const MOST_PODS = 100
const MOST_PORT = 65_535

const ownFlags: FlagSet = {
  port: flag('N', 'HTTPS port on loopback; 0 takes a free one', '6443'),
  listen: flag('ADDRESS:PORT', 'instead: where api and page answer over https, for real hosts'),
  'tls-name': repeatable(flag('NAME', 'what hosts call this server; may be repeated')),
  'tls-cert-file': flag(
    'FILE',
    'a certificate for that name, PEM with its chain',
    'one of its own',
  ),
  'tls-private-key-file': flag('FILE', 'the key of that certificate, PEM'),
  'dashboard-port': flag('N', 'the page, over plain http on loopback', '8080; with --listen none'),
  data: flag('DIR', 'keep everything in DIR across restarts', 'nothing is kept'),
  nodes: flag('N', 'simulated hosts that register, renew and report', '0'),
  zones: flag('N', 'zones they are spread over', '3'),
  pods: flag('N', 'pods on each of them', '1'),
  reschedule: { usage: 'evicted pods move to another zone, as in examples/reschedule' },
  'event-bus': flag('URL', 'forward events to an EventBridge endpoint', 'events are printed'),
  'logging-format': flag('text|json', 'of what is printed while it runs', 'text'),
}

export const localFlags: FlagSet = {
  ...ownFlags,
  ...Object.fromEntries(
    Object.entries(settingNames).map(([name, [field, kind]]) => [
      name,
      flag(placeholderOf(kind), '', defaultOf(field, kind)),
    ]),
  ),
}

function placeholderOf(kind: SettingKind): string {
  if (kind === 'duration') return 'TIME'
  if (kind === 'boolean') return 'true|false'
  if (kind === 'text') return 'TEXT'
  return typeof kind === 'string' ? 'N' : kind.join('|')
}

function defaultOf(field: string, kind: SettingKind): string {
  const value = (defaultSettings as unknown as Record<string, unknown>)[field]
  return kind === 'duration' ? `${Number(value) / 1000}s` : String(value)
}

export function readOptions(values: FlagValues): LocalOptions {
  const text = (name: string) => stringFlag(values[name])
  const number = (name: string, most: number, least = 0) =>
    wholeFlag(name, text(name) ?? ownFlags[name]?.default ?? '', most, least)
  return {
    ...readListening(values),
    loggingFormat: loggingFormat(text('logging-format') ?? 'text'),
    dataFolder: text('data'),
    nodes: number('nodes', MOST_NODES),
    zones: number('zones', MOST_ZONES, 1),
    pods: number('pods', MOST_PODS),
    reschedules: values.reschedule === true,
    eventBus: text('event-bus'),
    settings: readSettings(text),
  }
}

type Listening = Pick<
  LocalOptions,
  'listen' | 'isPublic' | 'tlsNames' | 'tlsFiles' | 'dashboardPort'
>

function readListening(values: FlagValues): Listening {
  const text = (name: string) => stringFlag(values[name])
  const given = text('listen')
  if (given !== undefined && text('port') !== undefined)
    throw new UsageError('give --listen or --port, not both')
  const [cert, key] = [text('tls-cert-file'), text('tls-private-key-file')]
  const tlsNames = stringFlags(values['tls-name'])
  if (Boolean(cert) !== Boolean(key))
    throw new UsageError('give --tls-cert-file and --tls-private-key-file together')
  if (cert && tlsNames.length === 0) throw new UsageError('--tls-cert-file needs --tls-name')
  const pagePort = text('dashboard-port') ?? (given === undefined ? '8080' : undefined)
  return {
    listen: given === undefined ? onLoopback(text('port') ?? '6443') : listenAddress(given),
    isPublic: given !== undefined,
    tlsNames: tlsNames.map(tlsName),
    ...(cert && key && { tlsFiles: { cert, key } }),
    ...(pagePort && { dashboardPort: wholeFlag('dashboard-port', pagePort, MOST_PORT) }),
  }
}

const onLoopback = (port: string): ListenAddress => ({
  address: '127.0.0.1',
  port: wholeFlag('port', port, MOST_PORT),
})

/** `10.0.0.5:6443`, `[::]:6443`. */
function listenAddress(text: string): ListenAddress {
  const [, bracketed, plain, port = ''] = /^(?:\[(.+)\]|([^:]+)):(\d+)$/.exec(text) ?? []
  const address = bracketed ?? plain ?? ''
  if (isIP(address) === 0 || Number(port) > MOST_PORT)
    throw new UsageError(`--listen ${text}: give an address and a port, such as 0.0.0.0:6443`)
  return { address, port: Number(port) }
}

function tlsName(name: string): string {
  if (/^([a-z0-9]([a-z0-9-]*[a-z0-9])?\.)*[a-z0-9]([a-z0-9-]*[a-z0-9])?$/.test(name)) return name
  throw new UsageError(`--tls-name ${name}: give a host name, such as leasehold.example.com`)
}

function loggingFormat(text: string): 'text' | 'json' {
  if (text === 'text' || text === 'json') return text
  throw new UsageError(`--logging-format ${text}: there is text and json`)
}

function readSettings(text: (name: string) => string | undefined): Settings {
  const settings = parseSettings(text)
  if (settings.kind === 'settings') return settings.settings
  throw new UsageError(settings.problems.map((problem) => `--${problem}`).join('\n'))
}

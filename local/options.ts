/**
 * What was asked on the command line? `npm start -- --nodes 50 --zones 3
 * --node-monitor-grace-period 3s`.
 */
import { parseArgs } from 'node:util'
import { parseSettings, type Settings, settingNames } from '../shared/lifecycle/settings.ts'

export interface LocalOptions {
  readonly port: number
  readonly dashboardPort: number
  /** Absent: nothing survives the process but its keys. */
  readonly dataFolder?: string
  readonly nodes: number
  readonly zones: number
  readonly eventBus?: string
  readonly settings: Settings
}

/** More would starve two cores and prove nothing that these do not. */
const MOST_NODES = 10_000
const MOST_ZONES = 100

export class UsageError extends Error {}

interface Flag {
  readonly hint?: string
  readonly fallback?: string
  readonly about: string
}

const own: Readonly<Record<string, Flag>> = {
  port: { hint: 'N', fallback: '6443', about: 'HTTPS port on loopback; 0 takes a free one' },
  'dashboard-port': { hint: 'N', fallback: '8080', about: 'the page, over plain http on loopback' },
  data: { hint: 'DIR', about: 'keep everything in DIR across restarts' },
  nodes: { hint: 'N', fallback: '0', about: 'simulated hosts that register, renew and report' },
  zones: { hint: 'N', fallback: '3', about: 'zones they are spread over' },
  'event-bus': { hint: 'URL', about: 'forward events to an EventBridge endpoint' },
  help: { about: 'this text' },
}

export function parseOptions(argv: readonly string[]): LocalOptions | 'help' {
  const values = parseFlags([...argv])
  if (values.help === true) return 'help'

  const text = (name: string) => values[name] as string | undefined
  const number = (name: string, most: number) =>
    whole(name, text(name) ?? own[name]?.fallback ?? '', most)
  return {
    port: number('port', 65_535),
    dashboardPort: number('dashboard-port', 65_535),
    dataFolder: text('data'),
    nodes: number('nodes', MOST_NODES),
    zones: Math.max(1, number('zones', MOST_ZONES)),
    eventBus: text('event-bus'),
    settings: readSettings(text),
  }
}

function parseFlags(args: string[]): Record<string, unknown> {
  const named = [...Object.keys(own), ...Object.keys(settingNames)]
  const options = Object.fromEntries(
    named.map((name) => [
      name,
      { type: name === 'help' ? ('boolean' as const) : ('string' as const) },
    ]),
  )
  try {
    return parseArgs({ args, options, strict: true, allowPositionals: false }).values
  } catch (error) {
    throw new UsageError(`${(error as Error).message}\nnpm start -- --help lists what there is.`)
  }
}

function readSettings(text: (name: string) => string | undefined): Settings {
  const parsed = parseSettings(text)
  if (parsed.kind === 'settings') return parsed.settings
  throw new UsageError(parsed.problems.map((problem) => `--${problem}`).join('\n'))
}

function whole(name: string, text: string, most: number): number {
  const number = Number(text)
  if (/^\d+$/.test(text) && number <= most) return number
  throw new UsageError(`--${name} ${text}: give a whole number from 0 to ${most}`)
}

export function helpText(): string {
  const line = (name: string, { hint = '', about, fallback }: Flag) =>
    `  --${`${name} ${hint}`.padEnd(34)}${about}${fallback ? ` (${fallback})` : ''}`
  return [
    'Leasehold on this machine: embedded DynamoDB, api, monitor, notifier and dashboard in one process.',
    '',
    'npm start -- [options]',
    '',
    ...Object.entries(own).map(([name, flag]) => line(name, flag)),
    '',
    "How it judges: kube-controller-manager's flags and defaults, docs/operations.md explains each.",
    '',
    ...Object.keys(settingNames).map((name) => `  --${name}`),
    '',
  ].join('\n')
}

/** The options of local mode: `npm start -- --nodes 50 --node-monitor-grace-period 3s`. */
import {
  type FlagSet,
  type FlagValues,
  flag,
  flagUsages,
  HELP_FLAG,
  parseFlags,
  stringFlag,
  UsageError,
} from '../shared/flags/flag-set.ts'
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

/** More would starve a small machine and show nothing new. */
export const MOST_NODES = 10_000
export const MOST_ZONES = 100

const localFlags: FlagSet = {
  port: flag('N', 'HTTPS port on loopback; 0 takes a free one', '6443'),
  'dashboard-port': flag('N', 'the page, over plain http on loopback', '8080'),
  data: flag('DIR', 'keep everything in DIR across restarts'),
  nodes: flag('N', 'simulated hosts that register, renew and report', '0'),
  zones: flag('N', 'zones they are spread over', '3'),
  'event-bus': flag('URL', 'forward events to an EventBridge endpoint'),
  help: HELP_FLAG,
}

const settingFlags: FlagSet = Object.fromEntries(
  Object.keys(settingNames).map((name) => [name, { value: 'VALUE', usage: '' }]),
)

export function parseOptions(argv: readonly string[]): LocalOptions | 'help' {
  const values = parsed(argv)
  if (values.help === true) return 'help'

  const text = (name: string) => stringFlag(values[name])
  const number = (name: string, most: number) =>
    wholeFlag(name, text(name) ?? localFlags[name]?.default ?? '', most)
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

function parsed(argv: readonly string[]): FlagValues {
  try {
    return parseFlags({ ...localFlags, ...settingFlags }, argv).values
  } catch (error) {
    throw new UsageError(`${(error as Error).message}\nnpm start -- --help lists what there is.`)
  }
}

function readSettings(text: (name: string) => string | undefined): Settings {
  const settings = parseSettings(text)
  if (settings.kind === 'settings') return settings.settings
  throw new UsageError(settings.problems.map((problem) => `--${problem}`).join('\n'))
}

export function wholeFlag(name: string, text: string, most: number): number {
  const number = Number(text)
  if (/^\d+$/.test(text) && number <= most) return number
  throw new UsageError(`--${name} ${text}: give a whole number from 0 to ${most}`)
}

export const localHelp = (): string =>
  [
    'Leasehold on this machine: embedded DynamoDB, api, monitor, notifier and dashboard in one process.',
    '',
    'npm start -- [options]',
    '',
    flagUsages(localFlags),
    '',
    "How it judges: kube-controller-manager's flags and defaults, docs/operations.md explains each.",
    '',
    ...Object.keys(settingNames).map((name) => `  --${name}`),
    '',
  ].join('\n')

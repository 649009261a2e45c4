/** The options of local mode: `npm start -- --nodes 50 --node-monitor-grace-period 3s`. */
import {
  type FlagSet,
  type FlagValues,
  flag,
  stringFlag,
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

const ownFlags: FlagSet = {
  port: flag('N', 'HTTPS port on loopback; 0 takes a free one', '6443'),
  'dashboard-port': flag('N', 'the page, over plain http on loopback', '8080'),
  data: flag('DIR', 'keep everything in DIR across restarts', 'nothing is kept'),
  nodes: flag('N', 'simulated hosts that register, renew and report', '0'),
  zones: flag('N', 'zones they are spread over', '3'),
  'event-bus': flag('URL', 'forward events to an EventBridge endpoint', 'events are printed'),
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
    port: number('port', 65_535),
    dashboardPort: number('dashboard-port', 65_535),
    dataFolder: text('data'),
    nodes: number('nodes', MOST_NODES),
    zones: number('zones', MOST_ZONES, 1),
    eventBus: text('event-bus'),
    settings: readSettings(text),
  }
}

function readSettings(text: (name: string) => string | undefined): Settings {
  const settings = parseSettings(text)
  if (settings.kind === 'settings') return settings.settings
  throw new UsageError(settings.problems.map((problem) => `--${problem}`).join('\n'))
}

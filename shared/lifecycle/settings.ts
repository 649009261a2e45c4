/**
 * What may an operator choose? kube-controller-manager's names and defaults, and a few of our own.
 */

import { parseDurationMs } from '../kube/duration.ts'
import type { TolerationDefaults } from '../kube/pod/default-tolerations.ts'
import { cidrSettings } from './cidr/settings.ts'
import { cloudSettings } from './cloud/settings.ts'
import { type CoreSettings, coreSettings } from './core-settings.ts'
import { garbageSettings } from './garbage/settings.ts'
import { requestRateSettings } from './request-rates.ts'
import type { SettingKind } from './setting-group.ts'

/** A feature can be deleted: with its folder go its import and its line here. */
const features = {
  garbageSettings,
  cidrSettings,
  cloudSettings,
}

type FeatureSettings = (typeof features)[keyof typeof features]['defaults']
type All<Union> = (Union extends unknown ? (one: Union) => void : never) extends (
  all: infer Each,
) => void
  ? Each
  : never

export type Settings = CoreSettings &
  (typeof requestRateSettings)['defaults'] &
  All<FeatureSettings>

interface AnyGroup {
  readonly defaults: object
  readonly flags: Readonly<Record<string, readonly [field: string, SettingKind]>>
  problems(settings: Settings): readonly string[]
}

const groups: readonly AnyGroup[] = [
  coreSettings,
  requestRateSettings,
  ...Object.values<AnyGroup>(features),
]

export const defaultSettings: Settings = Object.assign({}, ...groups.map((one) => one.defaults))

/** Flag name -> field and kind, of all groups. */
export const settingNames: AnyGroup['flags'] = Object.assign({}, ...groups.map((one) => one.flags))

type ParsedSettings =
  | { readonly kind: 'settings'; readonly settings: Settings }
  | { readonly kind: 'invalid'; readonly problems: readonly string[] }

/** `NODE_MONITOR_GRACE_PERIOD` for `node-monitor-grace-period`. */
export function environmentName(flag: string): string {
  return flag.toUpperCase().replaceAll('-', '_')
}

/** `read` answers with the text given for a flag name, from flags or from the environment. */
export function parseSettings(read: (name: string) => string | undefined): ParsedSettings {
  const chosen: Record<string, unknown> = {}
  const problems: string[] = []
  for (const [name, [field, kind]] of Object.entries(settingNames)) {
    const text = read(name)
    if (text === undefined) continue
    const value = parseValue(kind, text)
    if (value === undefined) problems.push(`${name}: "${text}" is not ${describe(kind)}`)
    else chosen[field] = value
  }
  const settings = withRenewInterval({ ...defaultSettings, ...chosen }, chosen)
  for (const group of groups) problems.push(...group.problems(settings))
  return problems.length > 0 ? { kind: 'invalid', problems } : { kind: 'settings', settings }
}

/** As the functions find them in their environment. */
export function settingsIn(env: Readonly<Record<string, string | undefined>>): Settings {
  const parsed = parseSettings((flag) => env[environmentName(flag)])
  if (parsed.kind === 'settings') return parsed.settings
  throw new Error(`the function's settings are wrong:\n${parsed.problems.join('\n')}`)
}

function withRenewInterval(settings: Settings, chosen: Readonly<Record<string, unknown>>) {
  if (chosen.nodeLeaseRenewIntervalMs !== undefined) return settings
  const quarterMs = settings.nodeMonitorGracePeriodMs / 4
  return { ...settings, nodeLeaseRenewIntervalMs: Math.min(10_000, quarterMs) }
}

function parseValue(kind: SettingKind, text: string): unknown {
  if (kind === 'duration') return parseDurationMs(text)
  if (kind === 'boolean') return text === 'true' ? true : text === 'false' ? false : undefined
  if (kind === 'text') return text
  if (typeof kind !== 'string') return kind.includes(text) ? text : undefined
  const number = text.trim() === '' ? Number.NaN : Number(text)
  const fits = kind === 'integer' ? Number.isSafeInteger(number) : Number.isFinite(number)
  return fits ? number : undefined
}

function describe(kind: SettingKind): string {
  if (kind === 'duration') return 'a duration such as 50s, 1m30s or 500ms'
  if (kind === 'boolean') return 'true or false'
  if (kind === 'integer') return 'a whole number'
  return typeof kind === 'string' ? 'a number' : `one of ${kind.join(', ')}`
}

/** What the api gives pods that do not say themselves. */
export const tolerationDefaults = (settings: Settings): TolerationDefaults => ({
  notReadySeconds: settings.defaultNotReadyTolerationSeconds,
  unreachableSeconds: settings.defaultUnreachableTolerationSeconds,
})

/** Eviction thresholds, read the way the kubelet reads them. */
import { quantityValue } from './quantities.ts'

export type Signal =
  | 'memory.available'
  | 'allocatableMemory.available'
  | 'nodefs.available'
  | 'nodefs.inodesFree'
  | 'imagefs.available'
  | 'imagefs.inodesFree'
  | 'containerfs.available'
  | 'containerfs.inodesFree'
  | 'pid.available'

export type Pressure = 'MemoryPressure' | 'DiskPressure' | 'PIDPressure'

export const CONDITION_OF_SIGNAL: Readonly<Record<Signal, Pressure>> = {
  'memory.available': 'MemoryPressure',
  'allocatableMemory.available': 'MemoryPressure',
  'nodefs.available': 'DiskPressure',
  'nodefs.inodesFree': 'DiskPressure',
  'imagefs.available': 'DiskPressure',
  'imagefs.inodesFree': 'DiskPressure',
  'containerfs.available': 'DiskPressure',
  'containerfs.inodesFree': 'DiskPressure',
  'pid.available': 'PIDPressure',
}

const DECIMAL = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i

/** Either an amount or a share of the capacity, in single precision as in the kubelet. */
type ThresholdValue =
  | { readonly kind: 'quantity'; readonly amount: number; readonly text: string }
  | { readonly kind: 'percentage'; readonly part: number }

export interface Threshold {
  readonly signal: Signal
  readonly limit: ThresholdValue
  readonly graceMs: number
  readonly minReclaim?: ThresholdValue
}

interface ThresholdSettings {
  readonly evictionHard?: Readonly<Record<string, string>>
  readonly evictionSoft?: Readonly<Record<string, string>>
  readonly evictionSoftGraceMs?: Readonly<Record<string, number>>
  readonly evictionMinimumReclaim?: Readonly<Record<string, string>>
  readonly mergeDefaultEvictionSettings?: boolean
}

const LINUX = {
  'memory.available': '100Mi',
  'nodefs.available': '10%',
  'nodefs.inodesFree': '5%',
  'imagefs.available': '15%',
  'imagefs.inodesFree': '5%',
}
// Windows and the BSDs count no inodes.
const WINDOWS = {
  'memory.available': '500Mi',
  'nodefs.available': '10%',
  'imagefs.available': '15%',
}
const OTHER = { ...WINDOWS, 'memory.available': '100Mi' }

export function defaultHard(platform: string): Readonly<Record<string, string>> {
  if (platform === 'linux') return LINUX
  return platform === 'windows' || platform === 'win32' ? WINDOWS : OTHER
}

/** Setting any hard threshold drops the defaults unless they are merged. */
export function effectiveHard(
  settings: ThresholdSettings,
  platform: string,
): Readonly<Record<string, string>> {
  const own = settings.evictionHard
  if (!own || Object.keys(own).length === 0) return defaultHard(platform)
  return settings.mergeDefaultEvictionSettings ? { ...defaultHard(platform), ...own } : own
}

export function thresholds(settings: ThresholdSettings, platform: string): readonly Threshold[] {
  const reclaim = settings.evictionMinimumReclaim ?? {}
  const hard = parseAll(effectiveHard(settings, platform), () => 0, reclaim)
  const soft = parseAll(
    settings.evictionSoft ?? {},
    (signal) => {
      const graceMs = settings.evictionSoftGraceMs?.[signal]
      if (graceMs === undefined) throw new Error(`soft threshold ${signal} needs a grace period`)
      if (graceMs < 0) throw new Error(`grace period of ${signal} must not be negative`)
      return graceMs
    },
    reclaim,
  )
  return [...hard, ...soft]
}

function parseAll(
  texts: Readonly<Record<string, string>>,
  graceMsOf: (signal: string) => number,
  reclaim: Readonly<Record<string, string>>,
): readonly Threshold[] {
  return Object.entries(texts).flatMap(([signal, text]) => {
    const limit = parseThreshold(signal, text)
    if (!limit) return []
    const least = reclaim[signal]
    return [
      {
        signal: signal as Signal,
        limit,
        graceMs: graceMsOf(signal),
        ...(least !== undefined && { minReclaim: parseThresholdValue(signal, least) }),
      },
    ]
  })
}

/** Undefined where the text means "ignore this signal": exactly `0%` and `100%`. */
export function parseThreshold(signal: string, text: string): ThresholdValue | undefined {
  if (!(signal in CONDITION_OF_SIGNAL)) throw new Error(`unknown eviction signal ${signal}`)
  if (text === '0%' || text === '100%') return undefined
  const limit = parseThresholdValue(signal, text)
  if (limit.kind === 'quantity' && limit.amount <= 0) {
    throw new Error(`threshold ${signal} must be positive, not ${text}`)
  }
  return limit
}

function parseThresholdValue(signal: string, text: string): ThresholdValue {
  if (!text.endsWith('%')) {
    const amount = quantityValue(text)
    if (!(amount >= 0)) throw new Error(`threshold ${signal} must not be negative, not ${text}`)
    return { kind: 'quantity', amount, text }
  }
  const number = text.slice(0, -1)
  // Number() reads an empty text as 0, and blanks and hexadecimals, which a kubelet refuses.
  const percent = DECIMAL.test(number) ? Number(number) : Number.NaN
  if (!(percent >= 0 && percent <= 100)) {
    throw new Error(`threshold ${signal} must lie between 0% and 100%, not ${text}`)
  }
  return { kind: 'percentage', part: Math.fround(Math.fround(percent) / 100) }
}

/** The whole part of capacity times percentage. */
export function thresholdAmount(limit: ThresholdValue, capacity: number): number {
  return limit.kind === 'quantity' ? limit.amount : Math.trunc(capacity * limit.part)
}

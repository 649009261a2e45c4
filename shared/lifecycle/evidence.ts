/** The numbers a decision compared, in words: for Events, and for explanations. */
import { graceOfMs, lastSignMs, type ObservationWindow } from './liveness/health.ts'
import { pausedMs } from './liveness/visibility.ts'
import type { Settings } from './settings.ts'
import type { Beat, Because, KnownNode, ZoneRecord } from './world.ts'

/** `17:48:54.980Z`; whole seconds without a fraction. */
export function clockText(ms: number): string {
  const text = new Date(ms).toISOString().slice(11)
  return text.replace('.000Z', 'Z')
}

/** `50 s`, `50.068 s`, `2 h 5 min`. */
export function spanText(ms: number): string {
  if (ms < 600_000) return `${Number((ms / 1000).toFixed(3))} s`
  const minutes = Math.floor(ms / 60_000)
  const [hours, rest] = [Math.floor(minutes / 60), minutes % 60]
  return hours === 0 ? `${minutes} min` : `${hours} h ${rest} min`
}

export const shareText = (part: number, whole: number): string =>
  `${part} of ${whole} (${whole === 0 ? 0 : Number(((100 * part) / whole).toFixed(1))} %)`

interface Silence {
  readonly node: KnownNode
  readonly beat: Beat | undefined
  readonly window: ObservationWindow
  readonly settings: Settings
}

/** `silent 50.068 s, grace 50 s, blind 0 s` */
export function silenceText({ node, beat, window, settings }: Silence, untilMs: number): string {
  const signMs = lastSignMs(node, beat, window.floorMs)
  const silentMs = Math.max(0, untilMs - signMs)
  const grace = spanText(graceOfMs(node.object, settings))
  const blind = spanText(pausedMs(window.blind, signMs, untilMs))
  return `silent ${spanText(silentMs)}, grace ${grace}, blind ${blind}`
}

/** `zone Normal, 7 of 334 (2.1 %) not ready, limit 55 % and 3` */
export function zoneText({ state, size, notReady }: ZoneRecord, settings: Settings): string {
  const limit = Number((100 * settings.unhealthyZoneThreshold).toFixed(1))
  return `zone ${state}, ${shareText(notReady, size)} not ready, limit ${limit} % and 3`
}

const BECAUSE = 'because '

/** What the Event of a mark says beside Kubernetes' own sentence. */
export function markEvidence(silence: Silence, nowMs: number): Because {
  const { node, beat, window } = silence
  const sign = clockText(lastSignMs(node, beat, window.floorMs))
  return `${BECAUSE}last sign ${sign}, ${silenceText(silence, nowMs)}`
}

export const taintEvidence = (zone: ZoneRecord, settings: Settings): Because =>
  `${BECAUSE}${zoneText(zone, settings)}; its turn at ${zone.limiter.rate}/s`

/** The evidence among what a write emits, if it has any. */
export const evidenceIn = (emits: readonly string[] = []): string | undefined =>
  emits.find((each) => each.startsWith(BECAUSE))?.slice(BECAUSE.length)

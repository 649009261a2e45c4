/**
 * What goes wrong, when. Between storms it is calm long enough for everything to come right again.
 */
import type { Mood } from '../faults/faulty-store.ts'
import type { Dice } from './dice.ts'
import type { TimeLine } from './time-line.ts'

export interface Weather {
  /** Likelihood that a call of that kind of process to the store goes wrong. */
  storeTrouble: { api: number; monitor: number }
  /** Of hosts' requests. */
  lossRate: number
  duplicateRate: number
  maxDelayMs: number
  maxLatencyMs: number
  maxIndexLagMs: number
  readonly cutZones: Set<string>
  /** Monitors that start now come to harm. */
  monitorsSuffer: boolean
}

export const calm = (): Weather => ({
  storeTrouble: { api: 0, monitor: 0 },
  lossRate: 0,
  duplicateRate: 0,
  maxDelayMs: 0,
  maxLatencyMs: 8,
  maxIndexLagMs: 200,
  cutZones: new Set(),
  monitorsSuffer: false,
})

export function moodIn(weather: Weather, kind: 'api' | 'monitor', dice: Dice): Mood {
  const trouble = weather.storeTrouble[kind]
  if (trouble === 0 || !dice.chance(trouble)) return 'well'
  return dice.pick(['throttled', 'failed', 'lost'] as const)
}

/** What a storm does, and whether it keeps a monitor from working or from seeing. */
interface Storm {
  readonly begin: (weather: Weather, dice: Dice, zones: readonly string[]) => void
  readonly disturbs: 'running' | 'seeing' | 'nothing'
}

const STORMS: readonly Storm[] = [
  {
    begin: (weather, dice) => (weather.storeTrouble.monitor = dice.between(0.02, 0.5)),
    disturbs: 'running',
  },
  {
    begin: (weather, dice) => (weather.storeTrouble.api = dice.between(0.05, 0.9)),
    disturbs: 'seeing',
  },
  {
    begin: (weather, dice) => {
      weather.storeTrouble = { api: dice.between(0, 0.4), monitor: dice.between(0, 0.4) }
      weather.maxLatencyMs = dice.between(100, 1_500)
    },
    disturbs: 'running',
  },
  {
    begin: (weather, dice) => {
      weather.lossRate = dice.between(0.05, 0.6)
      weather.duplicateRate = dice.between(0, 0.3)
      weather.maxDelayMs = dice.between(10, 8_000)
    },
    disturbs: 'nothing',
  },
  {
    begin: (weather, dice, zones) => void weather.cutZones.add(dice.pick(zones)),
    disturbs: 'nothing',
  },
  {
    // The blackout: every zone is cut off at once.
    begin: (weather, _dice, zones) => {
      for (const zone of zones) weather.cutZones.add(zone)
    },
    disturbs: 'nothing',
  },
  { begin: (weather) => (weather.monitorsSuffer = true), disturbs: 'running' },
  {
    begin: (weather, dice) => (weather.maxIndexLagMs = dice.between(500, 8_000)),
    disturbs: 'running',
  },
]

export interface Forecast {
  readonly time: TimeLine
  readonly dice: Dice
  readonly weather: Weather
  readonly zones: readonly string[]
  /** Told of each stretch in which monitors cannot be expected to work. */
  readonly onDisturbance: (what: 'running' | 'seeing', untilMs: number) => void
}

export function startWeather(forecast: Forecast): void {
  const { time, dice } = forecast
  time.after(dice.between(60_000, 600_000), () => storm(forecast))
}

function storm(forecast: Forecast): void {
  const { time, dice, weather, zones, onDisturbance } = forecast
  const endMs = time.nowMs() + dice.between(20_000, 240_000)
  for (let count = dice.pick([1, 1, 1, 2, 3]); count > 0; count -= 1) {
    const { begin, disturbs } = dice.pick(STORMS)
    begin(weather, dice, zones)
    if (disturbs !== 'nothing') onDisturbance(disturbs, endMs)
  }
  time.at(endMs, () => {
    Object.assign(weather, { ...calm(), cutZones: weather.cutZones })
    weather.cutZones.clear()
    startWeather(forecast)
  })
}

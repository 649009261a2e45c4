/** A world and what `decide` makes of it: all an explanation may rest on. */
import { decide } from '../decide.ts'
import { forecast, type Prospect } from '../eviction/forecast.ts'
import { type ObservationWindow, observationWindow } from '../liveness/health.ts'
import type { Settings } from '../settings.ts'
import type { Decision, FleetRecord, World } from '../world.ts'
import { newFleet } from '../zones/disruption.ts'

export interface Judged {
  readonly world: World
  readonly nowMs: number
  readonly settings: Settings
  readonly decision: Decision
  readonly fleet: FleetRecord
  readonly window: ObservationWindow
  /** By zone key. */
  readonly zones: ReadonlyMap<string, Decision['zones'][number]>
  /** What comes next for a node and its pods, soonest first. */
  prospectsOf(name: string): readonly Prospect[]
}

export function judge(world: World, nowMs: number, settings: Settings): Judged {
  const decision = decide(world, nowMs, settings)
  const fleet = world.fleet?.value ?? newFleet()
  const tokens = new Map(decision.holds.map(({ node, untilMs }) => [node, untilMs]))
  return {
    world,
    nowMs,
    settings,
    decision,
    fleet,
    window: observationWindow(world, fleet),
    zones: new Map(decision.zones.map((zone) => [zone.key, zone])),
    prospectsOf: (name) =>
      forecast(world, name, nowMs, settings, tokens.get(name)).toSorted(
        (a, b) => (a.atMs ?? Number.POSITIVE_INFINITY) - (b.atMs ?? Number.POSITIVE_INFINITY),
      ),
  }
}

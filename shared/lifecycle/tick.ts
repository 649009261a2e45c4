/**
 * The scratch pad of one decision: written while looking at nodes, read when zones and taints are
 * decided.
 */
import type { ConditionStatus } from '../kube/objects.ts'
import { formatTime } from '../kube/time.ts'
import { judgeSight, type Sight } from './blindness.ts'
import type { Watch } from './health.ts'
import type { NodePlan } from './node-plan.ts'
import type { Settings } from './settings.ts'
import type {
  Action,
  Due,
  FleetRecord,
  Hold,
  KnownNode,
  Recorded,
  World,
  ZoneRecord,
} from './world.ts'

/** A node that needs its first NoExecute taint. */
export interface Waiting {
  readonly node: KnownNode
  readonly current: 'False' | 'Unknown'
  readonly eligibleAtMs: number
  /** Marked in this very tick: its taint comes when the mark is written. */
  readonly isMarkedNow: boolean
}

export interface ZoneTally {
  readonly key: string
  readonly stored: Recorded<ZoneRecord> | undefined
  nodes: number
  size: number
  notReady: number
  readonly waiting: Waiting[]
}

export interface Tick {
  readonly world: World
  readonly nowMs: number
  /** The same as the wire writes it; formatted once, not once a node. */
  readonly now: string
  readonly settings: Settings
  readonly sight: Sight
  /** As stored, with what this tick's sight makes of it. */
  fleet: FleetRecord
  readonly watch: Watch
  readonly zones: Map<string, ZoneTally>
  /** Hosts past their deadline: their pods are not ready. */
  readonly silent: { readonly node: KnownNode; readonly isMarkedNow: boolean }[]
  /** Nodes with something to change or to lose. */
  readonly plans: Map<string, NodePlan>
  readonly actions: Action[]
  readonly holds: Hold[]
  readonly due: Due[]
  readonly counts: Record<ConditionStatus | 'missing', number>
}

export function newFleet(): FleetRecord {
  return { disruption: 'none', floorMs: 0, blind: [], stops: [], greetedThroughMs: 0 }
}

export function openTick(
  world: World,
  fleet: FleetRecord,
  nowMs: number,
  settings: Settings,
): Tick {
  return {
    world,
    nowMs,
    now: formatTime(nowMs),
    settings,
    fleet,
    sight: judgeSight(world.signs, settings.nodeMonitorGracePeriodMs, nowMs),
    watch: { floorMs: fleet.floorMs, blind: fleet.blind },
    zones: new Map(),
    silent: [],
    plans: new Map(),
    actions: [],
    holds: [],
    due: [],
    counts: { True: 0, False: 0, Unknown: 0, missing: 0 },
  }
}

export const isBlind = (tick: Tick): boolean => tick.sight.kind !== 'clear'

/** One tally per zone, with its record as stored. */
export function tallyOf(tick: Tick, key: string): ZoneTally {
  const found = tick.zones.get(key)
  if (found) return found
  const stored = tick.world.zones.get(key)
  const tally = { key, stored, nodes: 0, size: 0, notReady: 0, waiting: [] }
  tick.zones.set(key, tally)
  return tally
}

/**
 * One decision while it is being made: filled while nodes are judged, read when zones, taints and
 * pods are decided.
 */
import type { ConditionStatus } from '../kube/objects.ts'
import { formatTime } from '../kube/time.ts'
import { type ObservationWindow, observationWindow } from './liveness/health.ts'
import type { NodePlan } from './liveness/node-plan.ts'
import type { Settings } from './settings.ts'
import type {
  Action,
  DueNode,
  FleetRecord,
  Hold,
  KnownNode,
  Recorded,
  World,
  ZoneRecord,
} from './world.ts'

/** A node that needs its first NoExecute taint. */
export interface WaitingNode {
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
  readonly waiting: WaitingNode[]
}

export interface DecisionDraft {
  readonly world: World
  readonly nowMs: number
  /** `nowMs` as Kubernetes writes times; formatted once, not once a node. */
  readonly now: string
  readonly settings: Settings
  /** As stored, with what this decision has changed so far. */
  fleet: FleetRecord
  readonly window: ObservationWindow
  readonly zones: Map<string, ZoneTally>
  /** Nodes past their deadline: their pods are not ready. */
  readonly silent: { readonly node: KnownNode; readonly isMarkedNow: boolean }[]
  /** By node name, for nodes that change or carry a lifecycle taint. */
  readonly plans: Map<string, NodePlan>
  readonly actions: Action[]
  readonly holds: Hold[]
  readonly due: DueNode[]
  readonly counts: Record<ConditionStatus | 'missing', number>
}

interface DecisionInput {
  readonly world: World
  readonly fleet: FleetRecord
  readonly nowMs: number
  readonly settings: Settings
}

export function startDecision({ world, fleet, nowMs, settings }: DecisionInput): DecisionDraft {
  return {
    world,
    nowMs,
    now: formatTime(nowMs),
    settings,
    fleet,
    window: observationWindow(world, fleet),
    zones: new Map(),
    silent: [],
    plans: new Map(),
    actions: [],
    holds: [],
    due: [],
    counts: { True: 0, False: 0, Unknown: 0, missing: 0 },
  }
}

export const canJudge = (draft: DecisionDraft): boolean => draft.world.visibility.kind === 'clear'

/** One tally per zone, with its record as stored. */
export function tallyOf(draft: DecisionDraft, key: string): ZoneTally {
  const found = draft.zones.get(key)
  if (found) return found
  const stored = draft.world.zones.get(key)
  const tally = { key, stored, nodes: 0, size: 0, notReady: 0, waiting: [] }
  draft.zones.set(key, tally)
  return tally
}

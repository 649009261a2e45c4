/** Cells, Zones and the Fleet as the monitor writes them, in any state. */
import type { KubeObject } from '../../shared/kube/objects.ts'
import { formatTime } from '../../shared/kube/time.ts'
import { CELLS_PER_CHUNK, encodeCells } from '../../shared/lifecycle/cells/cells.ts'
import type { NodeState, NodeSummary } from '../../shared/lifecycle/liveness/node-summary.ts'
import type { FleetRecord, ZoneRecord } from '../../shared/lifecycle/world.ts'
import { newFleet } from '../../shared/lifecycle/zones/disruption.ts'
import { fullLimiter, stoppedLimiter } from '../../shared/lifecycle/zones/limiter.ts'
import { zoneName } from '../../shared/lifecycle/zones/zone-state.ts'

export interface ZoneFixture {
  readonly zone: string
  readonly cells: readonly NodeSummary[]
  readonly state?: ZoneRecord['state']
  readonly rate?: number
}

const REGION = 'local'

/** `count` nodes of one zone; `stateOf` says how each is. */
export function cellsFixture(
  zone: string,
  count: number,
  stateOf: (index: number) => NodeState,
  sinceMs: number,
): readonly NodeSummary[] {
  const sinceSeconds = Math.floor(sinceMs / 1000)
  return Array.from({ length: count }, (_, at) => ({
    name: `${zone}-host-${String(at + 1).padStart(4, '0')}`,
    state: stateOf(at),
    sinceSeconds,
  }))
}

export function cellsObjects({ zone, cells }: ZoneFixture): readonly KubeObject[] {
  const name = zoneName(REGION, zone)
  const parts = Math.ceil(cells.length / CELLS_PER_CHUNK)
  return Array.from({ length: parts }, (_, at) => ({
    apiVersion: 'leasehold.dev/v1',
    kind: 'Cells',
    metadata: { name: `${name}-${at}` },
    zone: name,
    nodes: encodeCells(cells.slice(at * CELLS_PER_CHUNK, (at + 1) * CELLS_PER_CHUNK)),
  }))
}

export function zoneObject(drawn: ZoneFixture, nowMs: number): KubeObject {
  const { zone, cells, state = 'Normal', rate = 0.1 } = drawn
  const bad = cells.filter((cell) => cell.state !== 'ready' && cell.state !== 'cordoned').length
  const record: ZoneRecord = {
    state,
    sinceMs: nowMs - 90_000,
    limiter: rate > 0 ? fullLimiter(rate, nowMs) : stoppedLimiter(nowMs),
    size: cells.length,
    notReady: bad,
    stops: [],
    held: [],
  }
  const status = {
    state,
    since: formatTime(record.sinceMs),
    nodes: cells.length,
    notReady: bad,
    unhealthyShare: String(bad / Math.max(1, cells.length)),
    unhealthyThreshold: '0.55',
    evictionRate: String(rate),
    record,
  }
  const spec = { region: REGION, zone }
  const metadata = { name: zoneName(REGION, zone) }
  return { apiVersion: 'leasehold.dev/v1', kind: 'Zone', metadata, spec, status } as KubeObject
}

export function fleetObject(change: Partial<FleetRecord>, history: readonly string[]): KubeObject {
  const record = { ...newFleet(), ...change }
  const status = {
    disruption: record.disruption,
    blind: record.blind.some(({ untilMs }) => untilMs === undefined),
    evictionsPaused: false,
    mode: 'act',
    held: [],
    conditions: [],
    history,
    record,
  }
  const names = { apiVersion: 'leasehold.dev/v1', kind: 'Fleet', metadata: { name: 'fleet' } }
  return { ...names, status } as KubeObject
}

/** Every zone with its cells, from what the monitor wrote. */

import { NO_ZONE } from '../../shared/kube/zone-name.ts'
import { type Cell, type CellState, type Cells, decodeCells } from '../../shared/lifecycle/cells.ts'
import type { Fleet, Zone } from './fleet-objects.ts'

export type Counts = Readonly<Record<CellState, number>>

export interface ZoneView {
  /** The name of the Zone object. */
  readonly name: string
  readonly title: string
  readonly zone: Zone | undefined
  /** In the order of their names, so that a node keeps its place. */
  readonly cells: readonly Cell[]
  readonly counts: Counts
}

/** Parts that did not change are not decoded again: most of a big fleet, most of the time. */
const decoded = new WeakMap<Cells, readonly Cell[]>()

function cellsOf(part: Cells): readonly Cell[] {
  const known = decoded.get(part)
  if (known) return known
  const cells = decodeCells(part.nodes ?? '').filter(({ name }) => name !== '')
  decoded.set(part, cells)
  return cells
}

export function zoneViews(parts: Iterable<Cells>, zones: ReadonlyMap<string, Zone>): ZoneView[] {
  const byZone = new Map<string, Cell[]>([...zones.keys()].map((name) => [name, []]))
  for (const part of parts) {
    const cells = byZone.get(part.zone) ?? []
    for (const cell of cellsOf(part)) cells.push(cell)
    byZone.set(part.zone, cells)
  }
  // Where there is only one region, its name would only be in the way.
  const regions = new Set([...zones.values()].map(({ spec }) => spec?.region))
  return [...byZone]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, cells]) => {
      const zone = zones.get(name)
      return { ...viewOf(cells), name, title: titleOf(name, zone, regions.size > 1), zone }
    })
    .filter(({ cells, zone }) => cells.length > 0 || (zone?.status?.nodes ?? 0) > 0)
}

function viewOf(cells: Cell[]): Pick<ZoneView, 'cells' | 'counts'> {
  cells.sort((a, b) => (a.name < b.name ? -1 : 1))
  return { cells, counts: countStates(cells) }
}

function titleOf(name: string, zone: Zone | undefined, withRegion: boolean): string {
  if (name === NO_ZONE) return 'no zone'
  const { region = '', zone: inner = '' } = zone?.spec ?? {}
  const parts = withRegion || inner === '' ? [region, inner] : [inner]
  return parts.filter(Boolean).join(' / ') || name
}

export function countStates(cells: Iterable<Cell>): Counts {
  const counts = { evicting: 0, unknown: 0, notReady: 0, cordoned: 0, ready: 0 }
  for (const { state } of cells) counts[state]++
  return counts
}

export function sumCounts(views: readonly ZoneView[]): Counts {
  const sum = { evicting: 0, unknown: 0, notReady: 0, cordoned: 0, ready: 0 }
  for (const { counts } of views)
    for (const state of Object.keys(sum) as CellState[]) sum[state] += counts[state]
  return sum
}

export const totalOf = (counts: Counts): number =>
  Object.values(counts).reduce((sum, count) => sum + count, 0)

/** A cordoned node is somebody's wish, not a fault. */
export const isBad = (state: CellState): boolean => state !== 'ready' && state !== 'cordoned'

/** In observe mode the monitor judges and leaves the nodes as they are: those it only counted. */
export function unmarkedOf({ zone, counts }: ZoneView, fleet: Fleet | undefined): number {
  if (fleet?.status?.mode !== 'observe') return 0
  return Math.max(0, (zone?.status?.notReady ?? 0) - badOf(counts))
}

export const badOf = ({ evicting, unknown, notReady }: Counts): number =>
  evicting + unknown + notReady

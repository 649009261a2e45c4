/**
 * Cells: the monitor's summaries of all nodes, a few bytes each, drawn as one picture per zone. A
 * fleet of ten thousand is read and drawn at once.
 */
import type { Cells } from '../../shared/kube/cells/resource.ts'
import type { KubeObject } from '../../shared/kube/objects.ts'
import { decodeCells } from '../../shared/lifecycle/cells/cells.ts'
import { LEASEHOLD_GROUP } from '../api/paths.ts'
import type { ZoneNodes } from '../state/zone-view.ts'
import type { FleetFeature } from '../views/fleet-feature.ts'
import { CellCanvas } from './cell-canvas.tsx'

/** Objects that did not change are not decoded again: most of a big fleet, most of the time. */
const decoded = new WeakMap<KubeObject, ZoneNodes>()

function read(object: KubeObject): ZoneNodes {
  const known = decoded.get(object)
  if (known) return known
  const { zone = '', nodes = '' } = object as Partial<Cells>
  const part = { zone, nodes: decodeCells(nodes).filter(({ name }) => name !== '') }
  decoded.set(object, part)
  return part
}

export const fleetCells: FleetFeature = {
  name: 'cells',
  nodeSource: { path: `${LEASEHOLD_GROUP}/cells`, read },
  ZonePicture: CellCanvas,
}

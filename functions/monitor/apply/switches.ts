/**
 * People stop evictions with an annotation; from when to when is written down, so clocks can pause.
 */
import { judgeSight, type Signs } from '../../../shared/lifecycle/blindness.ts'
import { fleetIn, switched, zoneIn } from '../read/records.ts'
import type { Applying } from './applying.ts'
import { fleetStep, zoneStep } from './books.ts'
import { writeFleet, writeZone } from './records.ts'

export async function writeSwitches(applying: Applying, signs: Signs): Promise<void> {
  const { books, nowMs, deps } = applying
  const { settings } = deps
  // A doubtful clock writes no time down.
  if (judgeSight(signs, settings.nodeMonitorGracePeriodMs, nowMs).kind === 'doubtful') return
  const { fleet } = books
  if (fleet) {
    const before = fleetIn(fleet)
    const next = switched(before, fleet, nowMs)
    const change = { believed: fleet.version, next }
    if (next !== before) await writeFleet(applying, { do: 'changeFleet', fleet: change, why: [] })
    // Not written, but seen: this tick is decided as if it were.
    if (books.isFleetLost) books.fleet = { ...fleet, object: fleetStep(applying, change).object }
  }
  for (const [key, stored] of [...books.zones]) {
    const before = zoneIn(stored, settings, nowMs)
    const next = switched(before, stored, nowMs)
    if (next === before) continue
    const zone = { key, believed: stored.version, next }
    await writeZone(applying, { do: 'zoneChanged', zone, from: before.state })
    if (!books.lostZones.has(key)) continue
    books.zones.set(key, { ...stored, object: zoneStep(applying, zone).object })
  }
}

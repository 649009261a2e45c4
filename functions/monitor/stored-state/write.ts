/** Writes the records of fleet and zones: first of all, so that what follows rests on them. */
import { type Fleet, PAUSED_ANNOTATION } from '../../../shared/kube/fleet/resource.ts'
import type { Zone } from '../../../shared/kube/zone/resource.ts'
import type { Visibility } from '../../../shared/lifecycle/liveness/visibility.ts'
import type {
  Action,
  FleetChange,
  FleetRecord,
  ZoneChange,
} from '../../../shared/lifecycle/world.ts'
import { pauseEvictions, resumeEvictions } from '../../../shared/lifecycle/zones/holds.ts'
import { maxItems } from '../../../shared/store/plan.ts'
import type { StoredObject, WriteStep } from '../../../shared/store/ports.ts'
import { type BatchItem, inChunks } from '../apply/commit-batch.ts'
import { type ApplyContext, commitCounted } from '../apply/context.ts'
import { newFleetObject, newZoneObject, withFleetRecord, withZoneRecord } from './objects.ts'
import { fleetRecordIn, zoneRecordIn } from './stored-state.ts'

export async function writeZone(context: ApplyContext, change: ZoneChange): Promise<void> {
  await writeRecord(context, 'zoneChanged', zoneItem(context, change))
}

export async function writeFleet(context: ApplyContext, change: FleetChange): Promise<void> {
  await writeRecord(context, 'changeFleet', fleetItem(context, change))
}

async function writeRecord(context: ApplyContext, action: string, item: RecordItem): Promise<void> {
  const [done] = await commitCounted(context, action, [item])
  noteWrite(context, item, done?.versions[0])
}

/**
 * In one transaction if they fit. If not: entering, the fleet first, so that evictions end at once;
 * leaving, the fleet last. Half done, the next tick takes it up again either way.
 */
export async function writeDisruption(
  context: ApplyContext,
  action: Extract<Action, { readonly do: 'enterDisruption' | 'leaveDisruption' }>,
): Promise<void> {
  const fleet = fleetItem(context, action.fleet)
  const zones = action.zones.map((zone) => zoneItem(context, zone))
  const items = action.do === 'enterDisruption' ? [fleet, ...zones] : [...zones, fleet]
  for (const chunk of inChunks(items, maxItems)) {
    // All or nothing: when a part of it was outrun, the next tick decides anew from what is there.
    const steps = chunk.flatMap((item) => item.steps)
    const [done] = await commitCounted(context, action.do, [{ of: chunk, steps }])
    for (const [at, item] of chunk.entries()) noteWrite(context, item, done?.versions[at])
    if (done) continue
    for (const item of items) noteWrite(context, item, undefined)
    return
  }
}

export async function dropZone(context: ApplyContext, key: string): Promise<void> {
  const believed = context.state.zones.get(key)
  if (!believed) return
  const item = { of: key, steps: [{ do: 'deleteObject' as const, believed }] }
  const [done] = await commitCounted(context, 'dropZone', [item])
  if (done) context.state.zones.delete(key)
  else context.state.staleZones.add(key)
}

// ---- the steps of a write, and what the store holds after it ------------------------------------

type RecordStep = Extract<WriteStep, { readonly do: 'createObject' | 'replaceObject' }>
/** `of` is the zone's key, undefined for the fleet. */
type RecordItem = BatchItem<string | undefined> & { readonly steps: readonly [RecordStep] }

export function zoneItem({ state, deps, nowMs }: ApplyContext, change: ZoneChange): RecordItem {
  const believed = state.zones.get(change.key)
  const before = believed?.object ?? newZoneObject(change.key, deps.uuid(), nowMs)
  const object = withZoneRecord(before as Zone, change.next, deps.settings)
  return { of: change.key, steps: [recordStep('zones', believed, object)] }
}

function fleetItem(context: ApplyContext, change: FleetChange): RecordItem {
  const { session, state, deps, nowMs } = context
  const before = state.fleet?.object ?? newFleetObject(deps.uuid(), nowMs)
  const object = withFleetRecord(before as Fleet, change.next, session.fleetSummary)
  return { of: undefined, steps: [recordStep('fleets', state.fleet, object)] }
}

function recordStep(
  resource: 'zones' | 'fleets',
  believed: StoredObject | undefined,
  object: Zone | Fleet,
): RecordStep {
  const fields = { 'metadata.name': object.metadata.name ?? '' }
  if (!believed) return { do: 'createObject', resource, object, fields }
  return { do: 'replaceObject', believed, object, fields }
}

/** Without a version the write did not happen, and nothing more may rest on that record. */
export function noteWrite(
  { state }: ApplyContext,
  { of: key, steps }: RecordItem,
  version: number | undefined,
): void {
  if (version === undefined) {
    if (key === undefined) state.isFleetStale = true
    else state.staleZones.add(key)
    return
  }
  const now = storedAfter(steps[0], version)
  if (key === undefined) state.fleet = now
  else state.zones.set(key, now)
}

/** The object as it now is in the store. */
export function storedAfter(step: RecordStep, version: number): StoredObject {
  const { object, fields } = step
  const metadata = { ...object.metadata, resourceVersion: String(version) }
  const now = { version, fields, object: { ...object, metadata } }
  if (step.do === 'replaceObject') {
    // Whether the labels are still the same was not compared.
    const { labelsSince: _since, ...known } = step.believed
    return { ...known, ...now }
  }
  const { name = '', uid = '' } = object.metadata
  const key = { namespace: '', name }
  return { resource: step.resource, key, uid, createdVersion: version, ...now }
}

/**
 * Operators pause evictions with an annotation on a zone or the fleet. From when to when is written
 * into the record, so that countdowns stand still meanwhile.
 */
export async function writePauses(context: ApplyContext, visibility: Visibility): Promise<void> {
  // A doubtful clock writes no time down.
  if (visibility.kind === 'doubtful') return
  await writeFleetPause(context)
  for (const [key, stored] of [...context.state.zones]) await writeZonePause(context, key, stored)
}

async function writeFleetPause(context: ApplyContext): Promise<void> {
  const { state, nowMs } = context
  const { fleet } = state
  if (!fleet) return
  const before = fleetRecordIn(fleet)
  const next = withPause(before, fleet, nowMs)
  if (next === before) return
  const change = { believed: fleet.version, next }
  await writeFleet(context, change)
  // Not written, but seen: this tick decides as if it were.
  if (state.isFleetStale) {
    state.fleet = { ...fleet, object: fleetItem(context, change).steps[0].object }
  }
}

async function writeZonePause(
  context: ApplyContext,
  key: string,
  stored: StoredObject,
): Promise<void> {
  const { state, nowMs, deps } = context
  const before = zoneRecordIn(stored, deps.settings, nowMs)
  const next = withPause(before, stored, nowMs)
  if (next === before) return
  const change = { key, believed: stored.version, next }
  await writeZone(context, change)
  if (!state.staleZones.has(key)) return
  state.zones.set(key, { ...stored, object: zoneItem(context, change).steps[0].object })
}

/** The record with the pause begun or ended that its object asks for; the same one if neither. */
function withPause<T extends Pick<FleetRecord, 'stops'>>(
  record: T,
  { object }: StoredObject,
  nowMs: number,
): T {
  const reason = object.metadata.annotations?.[PAUSED_ANNOTATION]
  if (reason === undefined) return resumeEvictions(record, nowMs)
  return pauseEvictions(record, reason, nowMs)
}

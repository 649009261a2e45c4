/** Writes the records of fleet and zones: first of all, so that what follows rests on them. */
import type { Action, FleetChange, ZoneChange } from '../../../shared/lifecycle/world.ts'
import { maxItems } from '../../../shared/store/plan.ts'
import { type Applying, settle } from './applying.ts'
import { fleetStep, type RecordStep, recorded, zoneStep } from './books.ts'
import { inChunks } from './pool.ts'
import type { Deed } from './tally.ts'
import { commitTogether, type Wish } from './together.ts'

type Of<Kind extends Action['do']> = Extract<Action, { readonly do: Kind }>

export async function writeZone(applying: Applying, { zone }: Of<'zoneChanged'>): Promise<void> {
  await write(applying, 'zoneChanged', [zoneWish(applying, zone)])
}

export async function writeFleet(applying: Applying, action: Of<'changeFleet'>): Promise<void> {
  await write(applying, 'changeFleet', [fleetWish(applying, action.fleet)])
}

/**
 * In one transaction if they fit. If not: entering, the fleet first, so that evictions end at once;
 * leaving, the fleet last. Half done, the next tick takes it up again either way.
 */
export async function turnFleet(
  applying: Applying,
  action: Of<'enterDisruption' | 'leaveDisruption'>,
): Promise<void> {
  const fleet = fleetWish(applying, action.fleet)
  const zones = action.zones.map((zone) => zoneWish(applying, zone))
  const wishes = action.do === 'enterDisruption' ? [fleet, ...zones] : [...zones, fleet]
  for (const chunk of inChunks(wishes, maxItems)) {
    // All or nothing: a turn of which a part was outrun is decided anew from what is there then.
    const steps = chunk.flatMap(({ steps: its }) => its)
    const [fate] = await commitTogether(applying.deps.store, [{ of: chunk, steps }])
    const isDone = settle(applying, action.do, fate!)
    chunk.forEach((wish, at) => {
      note(applying, wish, isDone ? fate.versions[at]! : undefined)
    })
    if (!isDone) return loseAll(applying, wishes)
  }
}

export async function dropZone(applying: Applying, { key }: Of<'dropZone'>): Promise<void> {
  const believed = applying.books.zones.get(key)
  if (!believed) return
  const wish = { of: key, steps: [{ do: 'deleteObject' as const, believed }] }
  const [fate] = await commitTogether(applying.deps.store, [wish])
  if (settle(applying, 'dropZone', fate!)) applying.books.zones.delete(key)
  else applying.books.lostZones.add(key)
}

/** `of` is the zone's key, undefined for the fleet. */
export type RecordWish = Wish<string | undefined> & { readonly steps: readonly [RecordStep] }

export const zoneWish = (applying: Applying, change: ZoneChange): RecordWish => ({
  of: change.key,
  steps: [zoneStep(applying, change)],
})

const fleetWish = (applying: Applying, change: FleetChange): RecordWish => ({
  of: undefined,
  steps: [fleetStep(applying, change)],
})

async function write(applying: Applying, deed: Deed, wishes: readonly [RecordWish]): Promise<void> {
  const [fate] = await commitTogether(applying.deps.store, wishes)
  const isDone = settle(applying, deed, fate!)
  note(applying, wishes[0], isDone ? fate.versions[0]! : undefined)
}

function loseAll(applying: Applying, wishes: readonly RecordWish[]): void {
  for (const wish of wishes) note(applying, wish, undefined)
}

/** Without a version the write did not happen, and nothing more may rest on that record. */
export function note(
  { books }: Applying,
  { of: key, steps }: RecordWish,
  version: number | undefined,
): void {
  if (version === undefined) {
    if (key === undefined) books.isFleetLost = true
    else books.lostZones.add(key)
    return
  }
  const now = recorded(steps[0], version)
  if (key === undefined) books.fleet = now
  else books.zones.set(key, now)
}

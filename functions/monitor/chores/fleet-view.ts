/**
 * Keeps what the Fleet shows beside its record up to date: counts, and a line a minute for an hour.
 */

import { deepEqual } from '../../../shared/kube/equal.ts'
import type { Fleet, FleetStatus } from '../../../shared/kube/resources/fleets.ts'
import type { Applying } from '../apply/applying.ts'
import { writeFleet } from '../apply/records.ts'
import { fleetIn } from '../read/records.ts'
import type { Session } from '../session.ts'

const SAMPLE_EVERY_MS = 60_000
const SAMPLES = 60
/** Counts move with every host; the page need not follow each of them. */
const VIEW_EVERY_MS = 10_000

export interface ViewClock {
  shownAtMs: number
}

export async function showFleet(
  session: Session,
  applying: Applying,
  view: ViewClock,
): Promise<void> {
  const { books, nowMs } = applying
  if (!books.fleet || books.isFleetLost) return
  const status = (books.fleet.object as Fleet).status
  session.view = { ...session.view, history: sampled(session, status?.history ?? [], nowMs) }
  const isSampled = session.view.history !== status?.history
  const isStale = nowMs - view.shownAtMs >= VIEW_EVERY_MS && showsOther(status, session)
  if (!isSampled && !isStale) return
  const fleet = { believed: books.fleet.version, next: fleetIn(books.fleet) }
  await writeFleet({ ...applying, view: session.view }, { do: 'changeFleet', fleet, why: [] })
  view.shownAtMs = nowMs
}

function showsOther(status: FleetStatus | undefined, { view }: Session): boolean {
  const { counts, settings } = view
  return (
    status?.nodes !== counts.nodes ||
    status.ready !== counts.ready ||
    status.notReady !== counts.notReady ||
    // A monitor that was told something else says so.
    !deepEqual(status.settings, settings)
  )
}

/** The same list until a minute has passed since its last line. */
function sampled(session: Session, history: readonly string[], nowMs: number): readonly string[] {
  const lastMs = Number(history.at(-1)?.split(' ')[0] ?? 0) * 1_000
  if (nowMs - lastMs < SAMPLE_EVERY_MS) return history
  const { ready, notReady, unknown, missing } = session.view.counts
  const line = [Math.floor(nowMs / 1_000), ready, notReady, unknown + missing].join(' ')
  return [...history, line].slice(-SAMPLES)
}

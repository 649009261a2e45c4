/**
 * Keeps what the Fleet shows beside its record up to date: counts, and a line a minute for an hour.
 */

import type { Fleet, FleetStatus } from '../../../shared/kube/fleet/resource.ts'
import { deepEqual } from '../../../shared/kube/json.ts'
import type { ApplyContext } from '../apply/context.ts'
import type { MonitorFeature } from '../chores/chore.ts'
import type { MonitorSession } from '../session.ts'
import type { FleetSummary } from '../stored-state/objects.ts'
import { fleetRecordIn } from '../stored-state/stored-state.ts'
import { writeFleet } from '../stored-state/write.ts'

const SAMPLE_EVERY_MS = 60_000
const SAMPLES = 60
/** Counts move with every host; the page need not follow each of them. */
const VIEW_EVERY_MS = 10_000

export const fleetViewFeature: MonitorFeature = {
  chore(session) {
    let shownAtMs = 0
    return {
      name: 'show the fleet',
      everyMs: 0,
      async work(context) {
        const isDue = context.nowMs - shownAtMs >= VIEW_EVERY_MS
        if (await showFleet(session, context, isDue)) shownAtMs = context.nowMs
      },
    }
  },
}

/** True when something was written. */
async function showFleet(
  session: MonitorSession,
  context: ApplyContext,
  isDue: boolean,
): Promise<boolean> {
  const { state, nowMs } = context
  if (!state.fleet || state.isFleetStale) return false
  const { status } = state.fleet.object as Fleet
  const history = sampled(session.fleetSummary, status?.history ?? [], nowMs)
  session.fleetSummary = { ...session.fleetSummary, history }
  const isSampled = history !== status?.history
  if (!isSampled && !(isDue && showsOther(status, session.fleetSummary))) return false
  const { version: believed } = state.fleet
  await writeFleet(context, { believed, next: fleetRecordIn(state.fleet) })
  return true
}

function showsOther(status: FleetStatus | undefined, summary: FleetSummary): boolean {
  const { counts, settings } = summary
  return (
    status?.nodes !== counts.nodes ||
    status.ready !== counts.ready ||
    status.notReady !== counts.notReady ||
    // A monitor started with other settings shows them.
    !deepEqual(status.settings, settings)
  )
}

/** The same list until a minute has passed since its last line. */
function sampled(
  { counts }: FleetSummary,
  history: readonly string[],
  nowMs: number,
): readonly string[] {
  const lastMs = Number(history.at(-1)?.split(' ')[0] ?? 0) * 1_000
  if (nowMs - lastMs < SAMPLE_EVERY_MS) return history
  const { ready, notReady, unknown, missing } = counts
  const line = [Math.floor(nowMs / 1_000), ready, notReady, unknown + missing].join(' ')
  return [...history, line].slice(-SAMPLES)
}

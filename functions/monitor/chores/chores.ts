/**
 * What a monitor does beside judging: summaries, garbage, figures. Each for itself: one that fails
 * is told and tried again, and holds up no other.
 */
import type { Applying } from '../apply/applying.ts'
import type { Tally } from '../apply/tally.ts'
import { counting } from '../metrics/counting.ts'
import { minute } from '../metrics/emf.ts'
import { tellTally, tellTick } from '../metrics/tell.ts'
import type { Session } from '../session.ts'
import { handsFor, type TickReport } from '../tick.ts'
import { noteOwnGraces } from './beat-rhythm.ts'
import { CELLS_EVERY_MS, type CellShelf, writeCells } from './cells.ts'
import { askAboutMachines, CLOUD_EVERY_MS } from './cloud.ts'
import { showFleet } from './fleet-view.ts'
import { collectGarbage, GARBAGE_EVERY_MS } from './garbage.ts'
import { writeHolds } from './holds.ts'
import { assignPodCidrs } from './pod-cidrs.ts'

export interface Chores {
  afterTick(report: TickReport): Promise<void>
  /** Between ticks nothing is written but what was due. */
  afterRound(tally: Tally): void
  failedTick(): void
  /** The last figures, for whoever comes next. */
  close(): Promise<void>
}

const METRICS_EVERY_MS = 15_000

interface Chore {
  readonly name: string
  readonly everyMs: number
  readonly work: (applying: Applying, report: TickReport) => Promise<void>
}

export function openChores(session: Session): Chores {
  const { deps } = session
  const figures = counting(deps.store)
  const emf = minute(deps.emf, deps.settings.nodeMonitorGracePeriodMs)
  const lastAtMs = new Map<Chore, number>()
  const list = choresOf(session)
  let storedAtMs = Number.NEGATIVE_INFINITY

  const attempt = async (what: string, work: () => Promise<void>) => {
    try {
      await work()
    } catch (error) {
      deps.log({ level: 'error', message: `could not ${what}; trying again later`, error })
    }
  }

  return {
    async afterTick(report) {
      const isDoubtful = Math.abs(report.world.signs.skewMs ?? 0) > MAX_SKEW_MS
      const applying = handsFor(session, report.books, report.nowMs)
      // What rests on the time waits until the clock can be trusted.
      for (const chore of isDoubtful ? [] : list) {
        if (report.nowMs - (lastAtMs.get(chore) ?? 0) < chore.everyMs) continue
        lastAtMs.set(chore, report.nowMs)
        await attempt(chore.name, () => chore.work(applying, report))
      }
      tellTick(figures, report)
      tellTally(figures, applying.tally)
      emf.afterTick(report)
      emf.flush(report.nowMs, false)
      if (report.nowMs - storedAtMs < METRICS_EVERY_MS) return
      storedAtMs = report.nowMs
      await attempt('store the metrics', figures.store)
    },
    afterRound(tally) {
      tellTally(figures, tally)
      emf.afterRound(tally)
    },
    failedTick: () => figures.add('leasehold_monitor_failed_ticks_total', 1),
    async close() {
      emf.flush(deps.clock(), true)
      await figures.store()
    },
  }
}

/** The same bound as the judgement's. */
const MAX_SKEW_MS = 2_000

function choresOf(session: Session): readonly Chore[] {
  const { settings, instances } = session.deps
  const shelf: CellShelf = { stored: undefined }
  const view = { shownAtMs: 0 }
  return [
    {
      name: 'show what is held back',
      everyMs: 0,
      work: (applying, { decision }) => writeHolds(session, applying, decision),
    },
    {
      name: 'collect garbage',
      everyMs: GARBAGE_EVERY_MS,
      work: (applying, { world }) => collectGarbage(applying, world),
    },
    ...(settings.allocateNodeCidrs
      ? [
          {
            name: 'hand out pod CIDRs',
            everyMs: 0,
            work: (applying: Applying) => assignPodCidrs(session, applying),
          },
        ]
      : []),
    ...(instances
      ? [
          {
            name: 'ask about machines',
            everyMs: CLOUD_EVERY_MS,
            work: (applying: Applying) => askAboutMachines(session, applying, instances),
          },
        ]
      : []),
    {
      name: 'write the cells',
      everyMs: CELLS_EVERY_MS,
      work: (applying) => writeCells(session, applying, shelf),
    },
    {
      name: 'show the fleet',
      everyMs: 0,
      work: (applying) => showFleet(session, applying, view),
    },
    {
      name: "note hosts' own graces",
      everyMs: 0,
      work: (applying, { world }) => noteOwnGraces(applying, world),
    },
  ]
}

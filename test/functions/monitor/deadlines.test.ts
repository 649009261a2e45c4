import { describe, expect, it } from 'vitest'
import { workDeadlines } from '../../../functions/monitor/deadlines.ts'
import { tick } from '../../../functions/monitor/tick.ts'
import { memoryStore } from '../../../shared/store/memory/store.ts'
import type { WriteStep } from '../../../shared/store/ports.ts'
import { nodeName } from '../../builders/objects.ts'
import { wrappedStore } from '../../store-doubles/wrapped-store.ts'
import { SmallFleet } from './small-fleet.ts'

const isMark = (steps: readonly WriteStep[]) => steps.some((step) => step.do === 'declareSilent')

/** Every time before a mark is written, for so many times, an operator edits the node. */
async function editedFleet(times: number) {
  let left = times
  const fleet: SmallFleet = new SmallFleet({
    store: (clock) =>
      wrappedStore(memoryStore({ clock }), {
        call: async (name, act, args) => {
          if (name === 'commit' && isMark(args[0] as readonly WriteStep[]) && left-- > 0)
            await fleet.annotate('nodes', LOST, { edited: String(left) })
          return await act()
        },
      }),
  })
  await fleet.addNodes(4, ['a', 'b'])
  return fleet
}

const LOST = nodeName(0)
const PERIOD_MS = 5_000

async function untilMarked(fleet: SmallFleet): Promise<number> {
  const { signal } = new AbortController()
  const deadlineMs = fleet.nowMs + fleet.settings.nodeMonitorGracePeriodMs
  while (fleet.nowMs < deadlineMs + 60_000) {
    await fleet.beat(...fleet.names.slice(1))
    const report = await tick(fleet.session)
    const untilMs = report.nowMs + PERIOD_MS
    await workDeadlines(fleet.session, report, untilMs, { signal, onRound() {} })
    if ((await fleet.readyOf(LOST))?.status === 'Unknown') return fleet.nowMs - deadlineMs
    fleet.nowMs = untilMs
  }
  throw new Error('it is never marked')
}

describe('a mark that another writer outran', () => {
  it.each([
    { times: 0, lateMs: 1 },
    { times: 1, lateMs: 101 },
    { times: 3, lateMs: 301 },
  ])('is judged again at once: $times times, $lateMs ms late', async ({ times, lateMs }) => {
    const fleet = await editedFleet(times)
    expect(await untilMarked(fleet)).toBe(lateMs)
  })

  it('is judged again at once when a tick lost it', async () => {
    const fleet = await editedFleet(1)
    await tick(fleet.session)
    fleet.nowMs += 60_000
    const report = await tick(fleet.session)
    expect([...report.outrunMarks]).toEqual([LOST])
    const { signal } = new AbortController()
    await workDeadlines(fleet.session, report, report.nowMs + PERIOD_MS, { signal, onRound() {} })
    expect((await fleet.readyOf(LOST))?.status).toBe('Unknown')
    expect(fleet.nowMs).toBe(report.nowMs)
  })
})

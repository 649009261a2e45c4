/**
 * A monitor that dies at any single call to the store, before or after it happened, leaves nothing
 * behind that the next one would not finish: every call of a story is tried.
 */
import { describe, expect, it } from 'vitest'
import { openChores } from '../../functions/monitor/chores/chores.ts'
import { openSession } from '../../functions/monitor/session.ts'
import { tick } from '../../functions/monitor/tick.ts'
import { defaultTolerations, nodeName } from '../builders/objects.ts'
import { SmallFleet } from '../functions/monitor/small-fleet.ts'
import {
  type Crash,
  type CrashingStore,
  crashingStore,
  Killed,
} from '../store-doubles/crashing-store.ts'

const PERIOD_MS = 5_000
const settings = {
  nodeMonitorPeriodMs: PERIOD_MS,
  nodeMonitorGracePeriodMs: 15_000,
  nodeEvictionSettleMs: 5_000,
  nodeEvictionRate: 0.1,
}
/** Two hosts of zone a fall silent, then all hosts, then all but those two come back. */
const SILENT_TICK = 1
const BLACKOUT_TICK = 8
const BACK_TICK = 14
const END_TICK = 32
const CATCH_UP_MS = 2 * PERIOD_MS
const LOST = [nodeName(0), nodeName(2)]

async function play(crash?: Crash) {
  const fleet = new SmallFleet({ settings })
  await fleet.addNodes(8, ['a', 'b'])
  for (const name of LOST) {
    await fleet.addPod(`on-${name}`, name, { tolerations: defaultTolerations(30) })
  }
  const crashing = crashingStore(fleet.store, crash)
  const deps = { ...fleet.deps, store: crashing.store }
  const tainted: { readonly name: string; readonly atMs: number }[] = []
  const start = () => {
    const session = openSession(deps)
    return { session, chores: openChores(session) }
  }
  let monitor = start()
  for (let at = 0; at < END_TICK; at += 1) {
    await live(fleet, at)
    const before = new Set(await fleet.evicting())
    monitor = (await survived(monitor, crashing)) ? monitor : start()
    for (const name of await fleet.evicting()) {
      if (!before.has(name)) tainted.push({ name, atMs: fleet.nowMs })
    }
    fleet.nowMs += PERIOD_MS
  }
  return { fleet, crashing, tainted }
}

async function survived(
  monitor: {
    readonly session: ReturnType<typeof openSession>
    readonly chores: ReturnType<typeof openChores>
  },
  crashing: CrashingStore,
): Promise<boolean> {
  try {
    await monitor.chores.afterTick(await tick(monitor.session))
  } catch (error) {
    if (!(error instanceof Killed)) throw error
  }
  return !crashing.restart()
}

async function live(fleet: SmallFleet, at: number): Promise<void> {
  if (at >= BLACKOUT_TICK && at < BACK_TICK) return
  const gone = at >= SILENT_TICK ? LOST : []
  const alive = fleet.names.filter((name) => !gone.includes(name))
  await fleet.beat(...alive)
  if (at === BACK_TICK) for (const name of alive) await fleet.report(name)
}

async function outcome(fleet: SmallFleet) {
  const { items: nodes } = await fleet.store.objects.list('nodes', {})
  const { items: pods } = await fleet.store.objects.list('pods', {})
  const { items: cells } = await fleet.store.objects.list('cells', {})
  return {
    nodes: await Promise.all(
      nodes.map(async ({ key: { name } }) => [
        name,
        (await fleet.readyOf(name))?.status,
        await fleet.taintsOf(name),
      ]),
    ),
    pods: pods.map(({ key, object }) => [key.name, Boolean(object.metadata.deletionTimestamp)]),
    zones: [(await fleet.zoneStatus('a'))?.state, (await fleet.zoneStatus('b'))?.state],
    disruption: (await fleet.fleetStatus())?.disruption,
    cells: cells.map(({ key }) => key.name),
  }
}

const noFaults = await play()
const expected = await outcome(noFaults.fleet)
const crashs = Array.from({ length: noFaults.crashing.calls() }, (_, at) => at)

describe('a monitor that dies at any one of its calls', () => {
  it('has a story in which nodes are tainted, stripped, tainted again and their pods evicted', () => {
    expect(noFaults.tainted.map(({ name }) => name)).toEqual([...LOST, ...LOST])
    expect(expected.pods).toEqual(LOST.map((name) => [`on-${name}`, true]))
    expect(expected.disruption).toBe('none')
    expect(crashs.length).toBeGreaterThan(200)
  })

  it.each(['before', 'after'] as const)('%s it happened comes to the same end', async (moment) => {
    for (const at of crashs) {
      const { fleet, tainted } = await play({ at, moment })
      expect(await outcome(fleet), `killed ${moment} call ${at}`).toEqual(expected)
      expect(overIssued(tainted), `killed ${moment} call ${at}`).toEqual([])
      expect(tainted.length, `killed ${moment} call ${at}`).toBe(noFaults.tainted.length)
    }
  })
})

/**
 * Both are in one zone: within any time no more than one, and one more for each ten seconds. Tokens
 * of the two periods before a tick may be spent late, as a loop that never slept would have spent
 * them on time.
 */
function overIssued(tainted: readonly { readonly atMs: number }[]): readonly string[] {
  const found: string[] = []
  for (const [i, first] of tainted.entries()) {
    for (const [j, last] of tainted.entries()) {
      const spanMs = last.atMs - first.atMs + CATCH_UP_MS
      const granted = 1 + Math.floor((spanMs / 1_000) * settings.nodeEvictionRate + 1e-6)
      if (j >= i && j - i + 1 > granted) found.push(`${j - i + 1} within ${spanMs} ms`)
    }
  }
  return found
}

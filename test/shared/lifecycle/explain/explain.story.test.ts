/** Explanations against what the monitor then does: every tick and host of stories drawn at random. */
import { expect, it } from 'vitest'
import type { TickReport } from '../../../../functions/monitor/tick.ts'
import { formatTime, parseTimeMs } from '../../../../shared/kube/time.ts'
import { type Explainer, explainer } from '../../../../shared/lifecycle/explain/explain.ts'
import { openInterval } from '../../../../shared/lifecycle/liveness/visibility.ts'
import type { Settings } from '../../../../shared/lifecycle/settings.ts'
import type { Action, Hold } from '../../../../shared/lifecycle/world.ts'
import { seededRandom } from '../../../builders/seeded-random.ts'
import { type FleetOptions, SmallFleet } from '../../../functions/monitor/small-fleet.ts'

const PERIOD_MS = 5_000
const PAUSED = 'leasehold.dev/evictions-paused'

/** Hosts of three zones that go silent and come back, pauses, blindness, maintenance, restarts. */
async function story(seed: number, settings: Partial<Settings>, onTick: (r: TickReport) => void) {
  const random = seededRandom(seed)
  const chance = (share: number) => random() < share
  let isBlind = false
  const options: FleetOptions = {
    settings,
    deps: {
      canary: async () => {
        if (isBlind) throw new Error('blind')
      },
    },
  }
  const place = new SmallFleet(options)
  await place.addNodes(14, ['a', 'b', 'c'])
  const silent = new Set<string>()
  const toggle = async (resource: string, name: string) => {
    if (!(await place.store.objects.get(resource, { namespace: '', name }))) return
    await place.annotate(resource, name, chance(0.3) ? { [PAUSED]: 'a move' } : {})
  }
  for (let at = 0; at < 500; at += 1) {
    const name = place.names[Math.floor(random() * place.names.length)]!
    if (chance(0.1)) silent.add(name)
    const share = chance(0.5) ? 1 : 0.8
    if (chance(0.02)) for (const one of place.names) if (chance(share)) silent.add(one)
    if (chance(0.03)) silent.clear()
    if (chance(0.04)) isBlind = !isBlind && chance(0.5)
    if (chance(0.02)) place.restart()
    if (chance(0.02)) await toggle('zones', 'a')
    if (chance(0.01)) await toggle('fleets', 'fleet')
    if (chance(0.02)) {
      const until = formatTime(place.nowMs + random() * 120_000)
      await place.annotate('nodes', name, { 'leasehold.dev/maintenance-until': until })
    }
    for (const one of place.names) {
      if (silent.has(one)) continue
      await place.beat(one)
      if ((await place.readyOf(one))?.status === 'Unknown') await place.report(one)
    }
    if (chance(0.02)) await place.report(name, 'False')
    onTick(await place.tick())
    place.nowMs += Math.floor(random() * 2 * PERIOD_MS)
  }
}

/** Kinds of what was seen, so that a story in which nothing happened proves nothing. */
type Seen = Map<string, number>
const count = (seen: Seen, what: string) => seen.set(what, (seen.get(what) ?? 0) + 1)

function check({ world, decision, nowMs }: TickReport, settings: Settings, seen: Seen): void {
  // The api asks the stored record, which a tick writes that goes blind, or sees again.
  const isStoredBlind = openInterval(world.fleet?.value.blind ?? []) !== undefined
  if (isStoredBlind !== (world.visibility.kind === 'blind')) return
  const one = explainer(world, nowMs, settings)
  const doing = settings.observe ? decision.withheld : decision.actions
  const named = (what: Action['do']) =>
    new Set(doing.flatMap((each) => (each.do === what && 'node' in each ? [nameIn(each)] : [])))
  const [marked, tainted] = [named('markUnknown'), named('taintNoExecute')]
  for (const name of world.nodes.keys()) {
    const found = one.node(name)!
    count(seen, found.rule)
    const isAway = found.rule === 'maintenance' || found.rule === 'departed'
    if (marked.has(name) && !isAway) {
      expect(settings.observe ? found.rule : found.what).toMatch(/^(observe|late|never reported)$/)
      if (!settings.observe) expect(found.nextAtMs).toBe(nowMs)
    }
    if (found.what === 'late' && found.nextAtMs! < nowMs) expect(marked).toContain(name)
    if (!settings.observe && !isAway) {
      expect(found.what.endsWith('NoExecute now')).toBe(tainted.has(name))
    }
    checkHold(
      found,
      decision.holds.find(({ node, what }) => node === name && what === 'taint'),
    )
  }
  checkTroubled(one, [...world.nodes.keys()])
}

const nameIn = (action: Action) =>
  'node' in action && typeof action.node === 'object' ? action.node.key.name : ''

/** A host that is held by itself is told until when, and behind how many. */
function checkHold(found: ReturnType<Explainer['node']> & object, held: Hold | undefined): void {
  if (!held || found.rule === 'maintenance' || found.rule === 'departed') return
  // Marked in this very tick: until that is written it is late, and waits for nothing.
  if (found.what === 'late' || found.rule === 'observe' || found.rule === 'blind') return
  expect(found.nextAtMs).toBe(held.untilMs)
  if (held.ahead && held.untilMs !== undefined) {
    expect(found.next).toContain(`, ${held.ahead} ahead`)
  }
}

function checkTroubled(one: Explainer, names: readonly string[]): void {
  const told = one.troubled().filter(({ kind }) => kind === 'node')
  const isTold = names.filter((name) => !one.node(name)!.isCalm)
  expect(told.map(({ name }) => name)).toEqual(isTold.toSorted())
}

it.each([
  { seed: 1, settings: {} },
  { seed: 2, settings: { nodeEvictionSettleMs: 0 } },
  { seed: 3, settings: { fullZonePolicy: 'freeze' } as const },
  { seed: 4, settings: { observe: true } },
])('explains every host as the tick decides about it: story $seed', async ({ seed, settings }) => {
  const seen: Seen = new Map()
  const whole = { ...new SmallFleet({ settings }).settings }
  await story(seed, settings, (report) => check(report, whole, seen))
  const expected = settings.observe
    ? ['healthy', 'silence', 'blind', 'observe']
    : ['healthy', 'silence', 'blind', 'paused', 'maintenance', 'token', 'fleet-disruption']
  expect([...seen.keys()]).toEqual(expect.arrayContaining(expected))
})

it('forecasts when taints come and pods leave, with the queue of the zone', async () => {
  const place = new SmallFleet()
  await place.addNodes(12, ['a', 'b'])
  const gone = place.names.filter((_, at) => at % 2 === 0).slice(0, 3)
  for (const name of gone) await place.addPod(`web-${name}`, name)
  const alive = place.names.filter((name) => !gone.includes(name))
  await place.run(60_000, alive)
  // The first has its token by now or waits for it; the others stand behind it.
  const { world, nowMs } = await place.tick()
  const one = explainer(world, nowMs, place.settings)
  const forecast = gone.map((name) => ({
    name,
    taintMs: one.node(name)!.nextAtMs!,
    podMs: one.pod('default', `web-${name}`)!.nextAtMs!,
  }))
  expect(new Set(forecast.map(({ taintMs }) => taintMs)).size).toBe(gone.length)

  const taintedMs = new Map<string, number>()
  const evictedMs = new Map<string, number>()
  while (evictedMs.size < gone.length) {
    await place.run(PERIOD_MS, alive)
    expect(place.nowMs).toBeLessThan(nowMs + 600_000)
    for (const name of await place.evicting()) {
      if (!taintedMs.has(name)) taintedMs.set(name, place.nowMs - PERIOD_MS)
    }
    for (const name of gone) {
      const pod = await place.pod(`web-${name}`)
      const endsMs = parseTimeMs(pod?.object.metadata.deletionTimestamp ?? '')
      if ((!pod || endsMs) && !evictedMs.has(name)) evictedMs.set(name, place.nowMs - PERIOD_MS)
    }
  }
  for (const { name, taintMs, podMs } of forecast) {
    // Ticks come every five seconds, and a taint's time is stored to the second.
    expect(taintedMs.get(name)! - taintMs).toBeGreaterThanOrEqual(0)
    expect(taintedMs.get(name)! - taintMs).toBeLessThanOrEqual(PERIOD_MS)
    expect(evictedMs.get(name)! - podMs).toBeGreaterThanOrEqual(-1_000)
    expect(evictedMs.get(name)! - podMs).toBeLessThanOrEqual(2 * PERIOD_MS)
  }
})

/** What stops a monitor: people, its own doubts, an install that only observes. */
import { describe, expect, it } from 'vitest'
import { refusedBeatReporter } from '../../../functions/api/refused-beats.ts'
import { deadlineRound } from '../../../functions/monitor/deadlines.ts'
import type { Node } from '../../../shared/kube/objects.ts'
import { formatTime } from '../../../shared/kube/time.ts'
import { defaultTolerations, nodeName } from '../../builders/objects.ts'
import { SmallFleet } from './small-fleet.ts'

const PAUSED = { 'leasehold.dev/evictions-paused': 'storage move' }
const UNKNOWN_MS = 60_000

/** One host of zone a is silent and Unknown; the others beat. */
async function oneSilent(options = {}) {
  const fleet = new SmallFleet(options)
  await fleet.addNodes(6, ['a', 'b'])
  await fleet.addPod('web', nodeName(0), { tolerations: defaultTolerations(30) })
  const alive = fleet.names.slice(1)
  await fleet.run(UNKNOWN_MS, alive)
  return { fleet, alive, lost: nodeName(0) }
}

const heldOn = async (fleet: SmallFleet, name: string) => {
  const node = (await fleet.node(name))?.object as Node | undefined
  return node?.status?.conditions?.find(({ type }) => type === 'EvictionHeld')?.reason
}

describe('people can stop evictions', () => {
  it.each([
    { when: 'in a zone', resource: 'zones', name: 'a', why: 'zonePaused' },
    { when: 'in the whole fleet', resource: 'fleets', name: 'fleet', why: 'fleetPaused' },
  ])('$when, which is seen on the node and the zone', async ({ resource, name, why }) => {
    const { fleet, alive, lost } = await oneSilent()
    await fleet.annotate(resource, name, PAUSED)
    await fleet.run(120_000, alive)
    expect(await fleet.evicting()).toEqual([])
    expect(await fleet.zoneStatus('a')).toMatchObject({ held: [why] })
    expect(await heldOn(fleet, lost)).toBe(why)

    await fleet.annotate(resource, name, {})
    await fleet.run(20_000, alive)
    expect(await fleet.evicting()).toEqual([lost])
    expect(await heldOn(fleet, lost)).toBeUndefined()
    expect((await fleet.zoneStatus('a'))?.held).toBeUndefined()
  })

  it('and countdowns stand still meanwhile', async () => {
    const { fleet, alive } = await oneSilent()
    await fleet.run(15_000, alive)
    await fleet.annotate('fleets', 'fleet', PAUSED)
    await fleet.run(120_000, alive)
    expect((await fleet.pod('web'))?.object.metadata.deletionTimestamp).toBeUndefined()
    await fleet.annotate('fleets', 'fleet', {})
    await fleet.run(10_000, alive)
    expect((await fleet.pod('web'))?.object.metadata.deletionTimestamp).toBeUndefined()
    await fleet.run(30_000, alive)
    expect((await fleet.pod('web'))?.object.metadata.deletionTimestamp).toBeDefined()
  })

  it('and a host that comes back is healed all the same', async () => {
    const { fleet, alive, lost } = await oneSilent()
    await fleet.run(20_000, alive)
    await fleet.annotate('fleets', 'fleet', PAUSED)
    await fleet.run(10_000, alive)
    await fleet.report(lost)
    await fleet.run(5_000, fleet.names)
    expect(await fleet.taintsOf(lost)).toEqual([])
  })

  it('between two ticks as well: who falls silent is marked, and its taint stays', async () => {
    const fleet = new SmallFleet()
    await fleet.addNodes(6, ['a', 'b'])
    const [ill, ...alive] = fleet.names
    await fleet.report(ill!, 'False')
    await fleet.run(50_000, alive)
    expect(await fleet.taintsOf(ill!)).toContain('not-ready:NoExecute')
    await fleet.annotate('zones', 'a', PAUSED)
    fleet.nowMs += 1_000
    await deadlineRound(fleet.session, [ill!])
    expect((await fleet.readyOf(ill!))?.status).toBe('Unknown')
    expect(await fleet.taintsOf(ill!)).toContain('not-ready:NoExecute')
  })

  it('for one node, until a time', async () => {
    const { fleet, alive, lost } = await oneSilent()
    const until = fleet.nowMs + 60_000
    await fleet.annotate('nodes', lost, { 'leasehold.dev/maintenance-until': formatTime(until) })
    await fleet.run(55_000, alive)
    expect(await fleet.evicting()).toEqual([])
    expect(await heldOn(fleet, lost)).toBe('maintenance')
    await fleet.run(20_000, alive)
    expect(await fleet.evicting()).toEqual([lost])
  })
})

describe('an install that observes', () => {
  it('writes what it sees and changes no node and no pod', async () => {
    const { fleet, alive } = await oneSilent({ settings: { observe: true } })
    const before = await fleet.store.objects.list('nodes', {})
    await fleet.run(120_000, alive)
    const { items } = await fleet.store.objects.list('nodes', {})
    expect(items.map(({ version }) => version)).toEqual(before.items.map(({ version }) => version))
    expect(await fleet.fleetStatus()).toMatchObject({ mode: 'observe', held: ['observe'] })
    expect(await fleet.zoneStatus('a')).toMatchObject({ notReady: 1 })
  })
})

describe('a monitor that doubts itself', () => {
  it('marks nobody while its own beat fails, and counts that time for nobody', async () => {
    let isDown = false
    const canary = async () => {
      if (isDown) throw new Error('502')
    }
    const fleet = new SmallFleet({ deps: { canary } })
    await fleet.addNodes(4, ['a', 'b'])
    await fleet.run(20_000, fleet.names)
    isDown = true
    await fleet.run(300_000)
    expect((await fleet.readyOf(nodeName(0)))?.status).toBe('True')
    expect(await fleet.fleetStatus()).toMatchObject({ blind: true, held: ['blind'] })

    isDown = false
    await fleet.run(35_000)
    expect((await fleet.readyOf(nodeName(0)))?.status).toBe('True')
    await fleet.run(30_000)
    expect((await fleet.readyOf(nodeName(0)))?.status).toBe('Unknown')
    const conditions = (await fleet.fleetStatus())?.conditions
    expect(conditions?.find(({ type }) => type === 'Blind')?.status).toBe('False')
  })

  it('condemns nobody when the api refuses 40% of all beats for a minute', async () => {
    const fleet = new SmallFleet()
    await fleet.addNodes(50, ['a', 'b'])
    const { note, flush } = refusedBeatReporter({
      store: fleet.store,
      clock: fleet.clock,
      processId: 'p',
      onTrouble: () => {},
    })
    let marked = 0
    for (let at = 0; at < 60; at += 1) {
      const isIll = at >= 4 && at < 16
      // The same two in five at every beat, which is the worst that can be meant by 40%.
      const refused = fleet.names.filter((_, i) => isIll && i % 5 < 2)
      for (const node of refused) note({ node, atMs: fleet.clock() })
      await flush()
      await fleet.beat(...fleet.names.filter((name) => !refused.includes(name)))
      marked += (await fleet.tick()).actionCounts.done.get('markUnknown') ?? 0
      fleet.nowMs += 5_000
    }
    expect(marked).toBe(0)
    expect((await fleet.fleetStatus())?.blind).toBe(false)
  })

  it('judges nothing while its clock cannot be trusted', async () => {
    let skewMs = 0
    const fleet = new SmallFleet()
    Object.assign(fleet.store, { skewMs: () => skewMs })
    await fleet.addNodes(4, ['a', 'b'])
    await fleet.run(5_000)
    skewMs = 2_500
    await fleet.run(200_000)
    expect((await fleet.readyOf(nodeName(0)))?.status).toBe('True')
    skewMs = 0
    await fleet.run(5_000)
    expect((await fleet.readyOf(nodeName(0)))?.status).toBe('Unknown')
  })
})

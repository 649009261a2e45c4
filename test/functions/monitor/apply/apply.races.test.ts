/**
 * Another writer is faster: each step that rests on something old is outrun, and nothing is lost.
 */
import { describe, expect, it } from 'vitest'
import { tick } from '../../../../functions/monitor/tick.ts'
import type { Store, WriteStep } from '../../../../shared/store/ports.ts'
import { defaultTolerations, nodeName } from '../../../builders/objects.ts'
import { SmallFleet } from '../small-fleet.ts'

const PAUSED = { 'leasehold.dev/evictions-paused': 'now' }

/** Empty for steps that are not about an object. */
function resourceOf(step: WriteStep): string {
  if (step.do === 'confirmNoObject') return step.resource
  const believed = 'believed' in step ? step.believed : undefined
  return typeof believed === 'object' ? believed.resource : ''
}

/** Before the first commit with such a step, something happens. */
function interrupted(
  store: Store,
  what: WriteStep['do'],
  resource: string,
  then: () => Promise<void>,
) {
  let isDone = false
  const { commit } = store
  const touches = (step: WriteStep) => step.do === what && resourceOf(step) === resource
  return Object.assign(store, {
    commit: async (steps: readonly WriteStep[]) => {
      if (!isDone && steps.some(touches)) {
        isDone = true
        await then()
      }
      return commit(steps)
    },
  })
}

async function silentFleet() {
  const fleet = new SmallFleet()
  await fleet.addNodes(6, ['a', 'b'])
  await fleet.addPod('web', nodeName(0), { tolerations: defaultTolerations(20) })
  return { fleet, alive: fleet.names.slice(1), lost: nodeName(0) }
}

describe('a step that was outrun', () => {
  it('a beat committed before the mark saves its host, and the others are marked', async () => {
    const { fleet } = await silentFleet()
    await fleet.tick()
    fleet.nowMs += 51_000
    interrupted(fleet.store, 'declareSilent', '', () => fleet.beat(nodeName(3)))
    const { actionCounts } = await fleet.tick()
    expect(actionCounts.outrun.get('markUnknown')).toBe(1)
    expect(actionCounts.done.get('markUnknown')).toBe(5)
    expect((await fleet.readyOf(nodeName(3)))?.status).toBe('True')
  })

  it('the first lease of a node beats the verdict that it never came', async () => {
    const fleet = new SmallFleet()
    await fleet.addNode('old')
    const object = { ...fleet.nodeObject('new', 'a'), status: {} }
    const fields = { 'metadata.name': 'new' }
    await fleet.must([{ do: 'createObject', resource: 'nodes', object, fields }])
    fleet.nowMs += 61_000
    await fleet.beat('old')
    interrupted(fleet.store, 'confirmNoLease', '', () =>
      fleet.addLease('new', object.metadata.uid!),
    )
    const { actionCounts } = await fleet.tick()
    expect(actionCounts.outrun.get('markUnknown')).toBe(1)
    expect(await fleet.readyOf('new')).toBeUndefined()
  })

  it('a report before the taint saves its host and spends no token', async () => {
    const { fleet, alive, lost } = await silentFleet()
    await fleet.run(65_000, alive)
    interrupted(fleet.store, 'replaceObject', 'zones', () => fleet.report(lost))
    await fleet.run(5_000, alive)
    expect(await fleet.evicting()).toEqual([])
    const record = (await fleet.zoneStatus('a'))?.record as { limiter: { tokens: number } }
    expect(record.limiter.tokens).toBe(1)
  })

  it('two monitors spend one token between them', async () => {
    const { fleet, alive, lost } = await silentFleet()
    const other = new SmallFleet({ store: () => fleet.store, deps: { clock: fleet.clock } })
    await fleet.run(65_000, alive)
    await tick(other.session)
    const reports = await Promise.all([tick(fleet.session), tick(other.session)])
    const tainted = reports.map(({ actionCounts }) => actionCounts.done.get('taintNoExecute') ?? 0)
    expect(tainted.reduce((sum, one) => sum + one)).toBeLessThanOrEqual(1)
    await fleet.run(10_000, alive)
    expect(await fleet.evicting()).toEqual([lost])
  })

  it.each([
    { of: 'the fleet', resource: 'fleets', name: 'fleet' },
    { of: 'its zone', resource: 'zones', name: 'a' },
  ])('a pause of $of written before the eviction keeps the pod', async ({ resource, name }) => {
    const { fleet, alive } = await silentFleet()
    await fleet.run(85_000, alive)
    interrupted(fleet.store, 'confirmObject', resource, () =>
      fleet.annotate(resource, name, PAUSED),
    )
    await fleet.run(60_000, alive)
    expect((await fleet.pod('web'))?.object.metadata.deletionTimestamp).toBeUndefined()
  })

  it('a pause of the fleet written before the taint keeps the host untainted', async () => {
    const { fleet, alive } = await silentFleet()
    await fleet.run(60_000, alive)
    interrupted(fleet.store, 'replaceObject', 'zones', () =>
      fleet.annotate('fleets', 'fleet', PAUSED),
    )
    await fleet.run(60_000, alive)
    expect(await fleet.evicting()).toEqual([])
  })

  it('a node that comes back under its name before the eviction keeps its pod', async () => {
    const { fleet, alive, lost } = await silentFleet()
    await fleet.run(85_000, alive)
    await fleet.must([{ do: 'deleteObject', believed: (await fleet.node(lost))! }])
    interrupted(fleet.store, 'confirmNoObject', 'nodes', () => fleet.addNode(lost))
    await fleet.run(60_000, [...alive, lost])
    expect((await fleet.pod('web'))?.object.metadata.deletionTimestamp).toBeUndefined()
  })
})

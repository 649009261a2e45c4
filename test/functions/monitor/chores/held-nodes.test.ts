import { describe, expect, it } from 'vitest'
import type { Node } from '../../../../shared/kube/objects.ts'
import { formatTime } from '../../../../shared/kube/time.ts'
import { nodeName } from '../../../builders/objects.ts'
import { SmallFleet } from '../small-fleet.ts'

const LOST = nodeName(0)
const PAUSED = 'leasehold.dev/evictions-paused'

const heldOn = async (fleet: SmallFleet, name = LOST) => {
  const node = (await fleet.node(name))?.object as Node | undefined
  return node?.status?.conditions?.find(({ type }) => type === 'EvictionHeld')
}

async function pausedFleet(settings = {}) {
  const fleet = new SmallFleet({ settings: { nodeEvictionSettleMs: 0, ...settings } })
  await fleet.addNodes(4, ['a', 'b'])
  await fleet.tick()
  await fleet.annotate('fleets', 'fleet', { [PAUSED]: 'upgrade' })
  await fleet.run(60_000, fleet.names.slice(1))
  return fleet
}

describe('what is held back from a node', () => {
  it('is a condition while it is held, with the time at which that began', async () => {
    const fleet = await pausedFleet()
    const held = await heldOn(fleet)
    expect(held).toMatchObject({ status: 'True', reason: 'fleetPaused', message: /paused/ })
    const version = (await fleet.node(LOST))?.version
    await fleet.run(20_000, fleet.names.slice(1))
    expect((await fleet.node(LOST))?.version).toBe(version)
    expect(await heldOn(fleet)).toEqual(held)
    expect(await heldOn(fleet, nodeName(1))).toBeUndefined()
  })

  it('is no condition any more when it is let go', async () => {
    const fleet = await pausedFleet()
    await fleet.annotate('fleets', 'fleet', {})
    await fleet.run(20_000, fleet.names.slice(1))
    expect(await heldOn(fleet)).toBeUndefined()
    const ready = await fleet.readyOf(LOST)
    expect(ready?.status).toBe('Unknown')
  })

  it('is told with another reason when that changes', async () => {
    const fleet = await pausedFleet()
    const until = formatTime(fleet.nowMs + 600_000)
    await fleet.annotate('nodes', LOST, { 'leasehold.dev/maintenance-until': until })
    await fleet.annotate('fleets', 'fleet', {})
    await fleet.run(20_000, fleet.names.slice(1))
    expect(await heldOn(fleet)).toMatchObject({ reason: 'maintenance' })
  })

  it('is shown again by a monitor that starts anew', async () => {
    const fleet = await pausedFleet()
    fleet.restart()
    await fleet.annotate('fleets', 'fleet', {})
    await fleet.run(20_000, fleet.names.slice(1))
    expect(await heldOn(fleet)).toBeUndefined()
  })

  it('is not shown for waiting, settling or blindness, nor in observe mode', async () => {
    const settling = new SmallFleet({ settings: { nodeEvictionSettleMs: 600_000 } })
    await settling.addNodes(4, ['a', 'b'])
    await settling.run(80_000, settling.names.slice(1))
    expect((await settling.readyOf(LOST))?.status).toBe('Unknown')
    expect(await heldOn(settling)).toBeUndefined()
    expect(await heldOn(await pausedFleet({ observe: true }))).toBeUndefined()
  })

  it('is shown on a hundred nodes a tick at most', async () => {
    const fleet = new SmallFleet({ settings: { nodeEvictionSettleMs: 0 } })
    await fleet.addNodes(260, ['a', 'b'])
    await fleet.tick()
    await fleet.annotate('fleets', 'fleet', { [PAUSED]: 'upgrade' })
    const count = async () => {
      const { items } = await fleet.store.objects.list('nodes', {})
      const held = ({ object }: { object: Node }) =>
        object.status?.conditions?.some(({ type }) => type === 'EvictionHeld')
      return items.filter((item) => held(item as { object: Node })).length
    }
    const counts: number[] = []
    for (let at = 0; at < 18; at += 1) {
      fleet.nowMs += 5_000
      await fleet.beat(...fleet.names.slice(150))
      await fleet.tick()
      counts.push(await count())
    }
    expect([...new Set(counts)]).toEqual([0, 100, 150])
  })
})

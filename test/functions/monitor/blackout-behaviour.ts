/** Every host falls silent at once: the same story over any store. */
import { expect, it } from 'vitest'
import { openSession } from '../../../functions/monitor/session.ts'
import { type TickReport, tick } from '../../../functions/monitor/tick.ts'
import type { Node } from '../../../shared/kube/objects.ts'
import type { Store } from '../../../shared/store/ports.ts'
import { seedFleet } from '../../builders/seeded-fleet.ts'
import { SmallFleet } from './small-fleet.ts'

export interface Place {
  readonly store: Store
  readonly clock: () => number
  readonly advance: (ms: number) => void
}

/**
 * Thousands of hosts are first written one by one, which takes an engine on a busy machine a while.
 */
const PATIENCE_MS = 120_000

export function blackoutBehaviour(make: () => Promise<Place>, nodes: number): void {
  it(
    `marks ${nodes} silent hosts within one tick, fifty to a transaction`,
    async () => {
      const { monitor, commits, advance } = await seeded(make, nodes)
      await monitor()
      advance(60_000)
      commits.length = 0
      const { decision, actionCounts } = await monitor()
      expect(decision.counts.marked).toBe(nodes)
      expect(actionCounts.done.get('markUnknown')).toBe(nodes)
      expect(actionCounts.unfinished).toBe(0)
      const marking = commits.filter((steps) => steps === 100)
      expect(marking).toHaveLength(nodes / 50)
    },
    PATIENCE_MS,
  )

  it('evicts nobody while everybody is silent, and starts every clock afresh after', async () => {
    const { monitor, advance, store, beat } = await seeded(make, Math.min(nodes, 200))
    await monitor()
    advance(60_000)
    const turns: string[] = []
    for (let at = 0; at < 4; at += 1) {
      const { decision } = await monitor()
      turns.push(...decision.actions.map((action) => action.do))
      advance(5_000)
    }
    expect(turns.filter((what) => what === 'enterDisruption')).toHaveLength(1)
    expect(turns).not.toContain('taintNoExecute')
    expect(turns).not.toContain('evictPod')

    await beat()
    advance(1_000)
    const { world, nowMs } = await monitor()
    const back = await monitor()
    const fleet = back.state.fleet!.object as { status?: { disruption?: string } }
    expect(fleet.status?.disruption).toBe('none')
    const floorMs = back.world.fleet?.value.floorMs ?? 0
    expect(floorMs).toBeGreaterThanOrEqual(nowMs)
    expect(world.nodes.size).toBe(Math.min(nodes, 200))
    const { items } = await store.objects.list('nodes', { limit: 5 })
    for (const { object } of items) {
      const effects = (object as Node).spec?.taints?.map(({ effect }) => effect) ?? []
      expect(effects).not.toContain('NoExecute')
    }
  })
}

async function seeded(make: () => Promise<Place>, nodes: number) {
  const { store, clock, advance } = await make()
  await seedFleet(store, clock, nodes)
  const commits: number[] = []
  const counted: Store = {
    ...store,
    commit: (steps) => {
      commits.push(steps.length)
      return store.commit(steps)
    },
  }
  const { deps } = new SmallFleet({ store: () => counted, deps: { clock } })
  const session = openSession(deps)
  const monitor = (): Promise<TickReport> => tick(session)
  /** One host reports again: that is enough to end a full disruption. */
  const beat = async () => {
    const believed = (await store.objects.get('nodes', { namespace: '', name: 'host-00000' }))!
    const node = believed.object as Node
    const others = node.status?.conditions?.filter(({ type }) => type !== 'Ready') ?? []
    const conditions = [{ type: 'Ready', status: 'True' as const }, ...others]
    const object: Node = { ...node, status: { ...node.status, conditions } }
    const { fields } = believed
    const receivedAtMs = clock()
    await store.commit([{ do: 'replaceObject', believed, object, fields, receivedAtMs }])
  }
  return { monitor, commits, advance, store, beat }
}

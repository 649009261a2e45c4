import { describe, expect, it } from 'vitest'
import { applyContext } from '../../../../functions/monitor/apply/context.ts'
import { ownGracesChore } from '../../../../functions/monitor/chores/own-graces.ts'
import { GRACE_ANNOTATION } from '../../../../shared/lifecycle/liveness/health.ts'
import { SmallFleet } from '../small-fleet.ts'

async function noted(fleet: SmallFleet, name: string): Promise<number | undefined> {
  const report = await fleet.tick()
  await ownGracesChore.work(applyContext(fleet.session, report.state, report.nowMs), report)
  const key = { namespace: 'kube-node-lease', name }
  return (await fleet.store.leases.get(key))?.ownGraceMs
}

describe('a grace of its own', () => {
  it('is noted on the lease of its host, follows the annotation and goes with it', async () => {
    const fleet = new SmallFleet()
    await fleet.addNode('a')
    await fleet.addNode('b')
    expect(await noted(fleet, 'a')).toBeUndefined()
    await fleet.annotate('nodes', 'a', { [GRACE_ANNOTATION]: '20s' })
    expect(await noted(fleet, 'a')).toBe(20_000)
    expect(await noted(fleet, 'b')).toBeUndefined()
    await fleet.annotate('nodes', 'a', { [GRACE_ANNOTATION]: '1s' })
    expect(await noted(fleet, 'a')).toBe(3_000)
    await fleet.annotate('nodes', 'a', {})
    expect(await noted(fleet, 'a')).toBeUndefined()
  })

  it('is noted again when the lease was made anew', async () => {
    const fleet = new SmallFleet()
    await fleet.addNode('a', 'z', { annotations: { [GRACE_ANNOTATION]: '20s' } })
    expect(await noted(fleet, 'a')).toBe(20_000)
    const key = { namespace: 'kube-node-lease', name: 'a' }
    await fleet.store.leases.remove((await fleet.store.leases.get(key))!)
    await fleet.addLease('a', (await fleet.node('a'))!.uid)
    expect(await noted(fleet, 'a')).toBe(20_000)
  })

  it('costs nothing where it is noted already', async () => {
    const fleet = new SmallFleet()
    await fleet.addNode('a', 'z', { annotations: { [GRACE_ANNOTATION]: '20s' } })
    await noted(fleet, 'a')
    const report = await fleet.tick()
    const { deps, ...context } = applyContext(fleet.session, report.state, report.nowMs)
    const store = { ...deps.store, commit: () => Promise.reject(new Error('a write')) }
    await ownGracesChore.work({ ...context, deps: { ...deps, store } }, report)
  })
})

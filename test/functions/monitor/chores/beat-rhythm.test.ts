import { describe, expect, it } from 'vitest'
import { noteOwnGraces } from '../../../../functions/monitor/chores/beat-rhythm.ts'
import { handsFor } from '../../../../functions/monitor/tick.ts'
import { GRACE_ANNOTATION } from '../../../../shared/lifecycle/settings.ts'
import { SmallFleet } from '../small-fleet.ts'

async function noted(fleet: SmallFleet, name: string): Promise<number | undefined> {
  const { world, books, nowMs } = await fleet.tick()
  await noteOwnGraces(handsFor(fleet.session, books, nowMs), world)
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
    const { world, books, nowMs } = await fleet.tick()
    const { deps, ...hands } = handsFor(fleet.session, books, nowMs)
    const store = { ...deps.store, commit: () => Promise.reject(new Error('a write')) }
    await noteOwnGraces({ ...hands, deps: { ...deps, store } }, world)
  })
})

import { describe, expect, it } from 'vitest'
import type { Cells } from '../../../../shared/kube/cells/resource.ts'
import { decodeCells } from '../../../../shared/lifecycle/cells/cells.ts'
import { nodeName } from '../../../builders/objects.ts'
import { SmallFleet } from '../small-fleet.ts'

describe('the summary of the fleet', () => {
  const cells = async (fleet: SmallFleet) => {
    const { items } = await fleet.store.objects.list('cells', {})
    return items.map(({ object, version, key }) => ({ ...(object as Cells), version, key }))
  }

  it('has a word for every node, and is written only when one changed', async () => {
    const fleet = new SmallFleet()
    await fleet.addNodes(4, ['a', 'b'])
    await fleet.run(10_000, fleet.names)
    const before = await cells(fleet)
    expect(before.map(({ zone }) => zone)).toEqual(['a', 'b'])
    expect(
      before.flatMap(({ nodes = '' }) => decodeCells(nodes)).map(({ state }) => state),
    ).toEqual(['ready', 'ready', 'ready', 'ready'])
    await fleet.run(30_000, fleet.names)
    expect(await cells(fleet)).toEqual(before)

    await fleet.run(60_000, fleet.names.slice(1))
    const [a, b] = await cells(fleet)
    expect(decodeCells(a?.nodes ?? '')[0]?.state).toBe('unknown')
    expect(b).toEqual(before[1])
  })

  it('forgets a zone whose nodes are gone', async () => {
    const fleet = new SmallFleet()
    await fleet.addNodes(2, ['a', 'b'])
    await fleet.run(10_000, fleet.names)
    const believed = (await fleet.node(nodeName(1)))!
    await fleet.must([{ do: 'deleteObject', believed }])
    await fleet.run(10_000, fleet.names)
    expect((await cells(fleet)).map(({ zone }) => zone)).toEqual(['a'])
  })
})

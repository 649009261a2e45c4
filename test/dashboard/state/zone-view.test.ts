import { describe, expect, it } from 'vitest'
import {
  badOf,
  sumCounts,
  totalNodes,
  zoneNodesOf,
  zoneViews,
} from '../../../dashboard/state/zone-view.ts'
import { many, viewsOf } from './fleet.ts'

const part = (zone: string, names: readonly string[]) => ({
  zone,
  nodes: names.map((name) => ({ name, state: 'ready' as const, sinceSeconds: 1 })),
})

describe('the fleet as zones', () => {
  it('joins the parts of a zone in order of name, so that a node keeps its place', () => {
    const [view] = zoneViews([part('z', ['d', 'b']), part('z', ['c', 'a'])], new Map())
    expect(view?.nodes.map(({ name }) => name)).toEqual(['a', 'b', 'c', 'd'])
  })

  it('counts what is wrong without those who are cordoned', () => {
    const states = [...many('ready', 5), ...many('cordoned', 2), ...many('unknown', 3)]
    const counts = sumCounts(
      viewsOf([
        { name: 'a', states },
        { name: 'b', states },
      ]),
    )
    expect([totalNodes(counts), badOf(counts)]).toEqual([20, 6])
  })

  it('shows a zone whose cells have not been written yet', () => {
    const zone = { metadata: { name: 'new' }, status: { nodes: 3 } }
    expect(zoneViews([], new Map([['new', zone]]))).toHaveLength(1)
  })

  it('leaves out a zone that no node is in any more', () => {
    const zone = { metadata: { name: 'old' }, status: { nodes: 0 } }
    expect(zoneViews([], new Map([['old', zone]]))).toEqual([])
  })

  it.each([
    { when: 'there is one region', regions: ['eu', 'eu'], titles: ['a', 'b'] },
    { when: 'there are two', regions: ['eu', 'us'], titles: ['eu / a', 'us / b'] },
  ])('names the region only where it tells something: $when', ({ regions, titles }) => {
    const zones = new Map(
      ['a', 'b'].map((zone, at) => [
        zone,
        { metadata: { name: zone }, spec: { region: regions[at]!, zone }, status: { nodes: 1 } },
      ]),
    )
    expect(zoneViews([], zones).map(({ title }) => title)).toEqual(titles)
  })

  it('can be read from Node objects', () => {
    const labels = { 'topology.kubernetes.io/zone': 'z' }
    const conditions = [{ type: 'Ready', status: 'True' as const }]
    const node = { metadata: { name: 'a', labels }, status: { conditions } }
    const [view] = zoneViews([zoneNodesOf(node)], new Map())
    expect(view?.nodes).toEqual([{ name: 'a', state: 'ready', sinceSeconds: 0 }])
    expect(view?.name).toBe('z')
  })

  it('has a name for nodes that say no zone', () => {
    expect(zoneViews([part('none', ['a'])], new Map())[0]?.title).toBe('no zone')
  })
})

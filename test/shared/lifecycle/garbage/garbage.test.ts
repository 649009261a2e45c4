import { describe, expect, it } from 'vitest'
import { decideGarbage, findSuspects } from '../../../../shared/lifecycle/garbage/garbage.ts'
import { defaultSettings } from '../../../../shared/lifecycle/settings.ts'
import type { World } from '../../../../shared/lifecycle/world.ts'
import { beatOf, podOn, readyNode, worldOf } from '../fleet.ts'

const NOW_MS = 10_000_000
const LATER_MS = NOW_MS + 40_000
const podsByNode = new Map([['gone', [podOn('p', 'gone')]]])

/** What is done at a time when the nodes read again are these; the quarantine began at NOW_MS. */
function decided(
  world: World,
  read: ReadonlyMap<string, string | undefined>,
  { nowMs = LATER_MS, settings = defaultSettings } = {},
) {
  const { quarantine } = findSuspects(world, {}, NOW_MS)
  const suspects = findSuspects(world, quarantine, nowMs)
  return decideGarbage({ world, suspects, read, nowMs, settings })
}

describe('garbage', () => {
  it('of a missing node waits in quarantine, then the node is read again', () => {
    const world = worldOf([], [], { podsByNode })
    const first = findSuspects(world, {}, NOW_MS)
    expect(first.names).toEqual([])
    expect(findSuspects(world, first.quarantine, LATER_MS).names).toEqual(['gone'])
  })

  it('is deleted only when the second read did not find the node', () => {
    const world = worldOf([], [], { podsByNode })
    expect(decided(world, new Map([['gone', undefined]]))).toMatchObject([
      { do: 'deletePod', reason: 'orphaned', pod: { key: { name: 'p' } } },
    ])
    expect(decided(world, new Map([['gone', 'uid']]))).toEqual([])
    expect(decided(world, new Map())).toEqual([])
  })

  it('stays through its quarantine, although the lease of its node is looked into at once', () => {
    const beats = [{ ...beatOf('gone', 0), ownerUid: 'uid-of-before' }]
    const world = worldOf([], beats, { podsByNode })
    const early = decided(world, new Map([['gone', undefined]]), { nowMs: NOW_MS + 20_000 })
    expect(early.map((action) => action.do)).toEqual(['dropLease'])
  })

  it('is no lease whose owner is found when it is read again', () => {
    const beats = [{ ...beatOf('n1', 0), ownerUid: 'uid-n1' }]
    expect(decided(worldOf([], beats), new Map([['n1', 'uid-n1']]))).toEqual([])
  })

  it('of leases goes with the node that owned them', () => {
    const beats = [
      { ...beatOf('n1', 0), ownerUid: 'uid-n1' },
      { ...beatOf('n2', 0), ownerUid: 'uid-of-before' },
      beatOf('n3', 0),
    ]
    const world = worldOf([readyNode('n1'), readyNode('n2')], beats)
    expect(findSuspects(world, {}, NOW_MS).names).toEqual(['n2'])
    expect(decided(world, new Map([['n2', 'uid-n2']]))).toEqual([
      { do: 'dropLease', name: 'n2', version: 1 },
    ])
  })

  it('stays where it is in observe mode', () => {
    const world = worldOf([], [], { podsByNode })
    const settings = { ...defaultSettings, observe: true }
    expect(decided(world, new Map([['gone', undefined]]), { settings })).toEqual([])
  })
})

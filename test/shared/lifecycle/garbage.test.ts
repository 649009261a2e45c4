import { describe, expect, it } from 'vitest'
import { decideGarbage, findSuspects } from '../../../shared/lifecycle/garbage.ts'
import { defaultSettings as settings } from '../../../shared/lifecycle/settings.ts'
import { beatOf, podOn, readyNode, worldOf } from './fleet.ts'

const NOW_MS = 10_000_000
const podsByNode = new Map([['gone', [podOn('p', 'gone')]]])

describe('garbage', () => {
  it('of a missing node waits in quarantine, then the node is read again', () => {
    const world = worldOf([], [], { podsByNode })
    const first = findSuspects(world, {}, NOW_MS)
    expect(first.names).toEqual([])
    expect(findSuspects(world, first.quarantine, NOW_MS + 40_000).names).toEqual(['gone'])
  })

  it('is deleted only when the second read did not find the node', () => {
    const world = worldOf([], [], { podsByNode })
    expect(decideGarbage(world, new Map([['gone', undefined]]), NOW_MS, settings)).toMatchObject([
      { do: 'deletePod', reason: 'orphaned', pod: { key: { name: 'p' } } },
    ])
    expect(decideGarbage(world, new Map([['gone', 'uid']]), NOW_MS, settings)).toEqual([])
    expect(decideGarbage(world, new Map(), NOW_MS, settings)).toEqual([])
  })

  it('of leases goes with the node that owned them', () => {
    const beats = [
      { ...beatOf('n1', 0), ownerUid: 'uid-n1' },
      { ...beatOf('n2', 0), ownerUid: 'uid-of-before' },
      beatOf('n3', 0),
    ]
    const world = worldOf([readyNode('n1'), readyNode('n2')], beats)
    expect(findSuspects(world, {}, NOW_MS).names).toEqual(['n2'])
    expect(decideGarbage(world, new Map([['n2', 'uid-n2']]), NOW_MS, settings)).toEqual([
      { do: 'dropLease', name: 'n2', version: 1 },
    ])
  })

  it('stays where it is in observe mode', () => {
    const world = worldOf([], [], { podsByNode })
    const observing = { ...settings, observe: true }
    expect(decideGarbage(world, new Map([['gone', undefined]]), NOW_MS, observing)).toEqual([])
  })
})

/** What is told about zones and the fleet, beyond the golden texts. */
import { describe, expect, it } from 'vitest'
import { explainer } from '../../../../shared/lifecycle/explain/explain.ts'
import { defaultSettings, type Settings } from '../../../../shared/lifecycle/settings.ts'
import type { World, ZoneRecord } from '../../../../shared/lifecycle/world.ts'
import { newZone } from '../../../../shared/lifecycle/zones/disruption.ts'
import { spend } from '../../../../shared/lifecycle/zones/limiter.ts'
import { beatOf, calmFleet, readyNode, unknownNode, worldOf, zoneA } from '../fleet.ts'

const T = 1_800_000_000_000
const zoneB = ':\u0000:b'

const record = (change: Partial<ZoneRecord> = {}) => {
  const value = { ...newZone(defaultSettings, T - 600_000), state: 'Normal', ...change } as const
  return { version: 1, value }
}
/** One host of zone a is Unknown and has settled; all others are well. */
const explain = (more: Partial<World> = {}, settings: Partial<Settings> = {}) => {
  const well = [readyNode('w1'), readyNode('w2'), readyNode('w3', 'b')]
  const nodes = [unknownNode('n1', T - 60_000), ...well]
  const beats = well.map(({ key }) => beatOf(key.name, T))
  const zones = new Map([
    [zoneB, record()],
    [zoneA, record()],
  ])
  const world = worldOf(nodes, beats, { zones, ...more })
  return explainer(world, T, { ...defaultSettings, ...settings })
}

describe('a zone', () => {
  it('that has to taint a host is no calm zone; its neighbour is', () => {
    const one = explain()
    expect(one.zone(zoneA)).toMatchObject({ rule: 'healthy', isCalm: false, nextAtMs: T })
    const calm = one.zone(zoneB)
    expect(calm).toMatchObject({ rule: 'healthy', isCalm: true })
    expect(calm).not.toHaveProperty('nextAtMs')
  })

  it('names the moment of its next token', () => {
    const limiter = spend(record().value.limiter, T - 4_000)
    const zones = new Map([[zoneA, record({ limiter })]])
    expect(explain({ zones }).zone(zoneA)).toMatchObject({ nextAtMs: T + 6_000 })
  })

  it('names no moment while it is paused', () => {
    const zones = new Map([[zoneA, record({ stops: [{ fromMs: T - 9_000, why: 'upgrade' }] })]])
    const found = explain({ zones }).zone(zoneA)
    expect(found).toMatchObject({ rule: 'paused', isCalm: false })
    expect(found?.next).toBe('nothing; 1 wait and their pods stay')
    expect(found).not.toHaveProperty('nextAtMs')
  })

  it('is paused with the whole fleet, and then not calm even if no host waits', () => {
    const value = { ...calmFleet, stops: [{ fromMs: T - 9_000, why: 'upgrade' }] }
    const found = explain({ fleet: { version: 1, value } }).zone(zoneB)
    expect(found).toMatchObject({ rule: 'paused', isCalm: false })
  })

  it('that is not there is not explained', () => {
    expect(explain().zone('elsewhere')).toBeUndefined()
  })

  it('comes in the order of names, hosts after them', () => {
    expect(explain().zoneKeys).toEqual([zoneA, zoneB])
    const nodes = ['n2', 'n1'].map((name) => unknownNode(name, T - 60_000))
    const world = worldOf([...nodes, readyNode('w1')], [beatOf('w1', T)])
    const told = explainer(world, T, defaultSettings).troubled()
    expect(told.filter(({ kind }) => kind === 'node').map(({ name }) => name)).toEqual(['n1', 'n2'])
  })
})

describe('the fleet', () => {
  const calm = (more: Partial<World> = {}, settings: Partial<Settings> = {}) => {
    const world = worldOf([readyNode('w1')], [beatOf('w1', T)], more)
    return explainer(world, T, { ...defaultSettings, ...settings }).fleet()
  }

  it.each([
    { when: 'all is well', more: {}, settings: {}, rule: 'healthy', isCalm: true },
    {
      when: 'it is only observed',
      more: {},
      settings: { observe: true },
      rule: 'observe',
      isCalm: false,
    },
    {
      when: 'the clock is in doubt',
      more: { visibility: { kind: 'doubtful', why: 'the clock is off by 3000 ms' } as const },
      settings: {},
      rule: 'blind',
      isCalm: false,
    },
    {
      when: 'blindness is written down, though the monitor sees again',
      more: {
        fleet: {
          version: 1,
          value: { ...calmFleet, blind: [{ fromMs: T - 1_000, why: 'the canary beat fails' }] },
        },
      },
      settings: {},
      rule: 'blind',
      isCalm: false,
    },
    {
      when: 'it is paused',
      more: {
        fleet: {
          version: 1,
          value: { ...calmFleet, stops: [{ fromMs: T - 1_000, why: 'upgrade' }] },
        },
      },
      settings: {},
      rule: 'paused',
      isCalm: false,
    },
  ])('is explained by $rule when $when', ({ more, settings, rule, isCalm }) => {
    expect(calm(more, settings)).toMatchObject({ rule, isCalm })
  })

  it('says why it is blind: from the record, or else from what is seen now', () => {
    const doubt = { kind: 'doubtful', why: 'the clock is off by 3000 ms' } as const
    expect(calm({ visibility: doubt }).because.at(-1)).toBe('the clock is off by 3000 ms, for 0 s')
    const blind = [{ fromMs: T - 1_000, why: 'the canary beat fails' }]
    const value = { ...calmFleet, blind }
    const both = calm({ visibility: doubt, fleet: { version: 1, value } })
    expect(both.because.at(-1)).toBe('the canary beat fails, for 1 s')
  })

  it('says who paused it', () => {
    const value = { ...calmFleet, stops: [{ fromMs: T - 1_000, why: 'upgrade' }] }
    const found = calm({ fleet: { version: 1, value } })
    expect(found).toMatchObject({ what: 'evictions paused', atMs: T - 1_000 })
    expect(found.because.at(-1)).toBe('an operator: upgrade')
  })

  it('is not calm while a host is not ready', () => {
    expect(explain().fleet().isCalm).toBe(false)
  })
})

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { openSession } from '../../../../functions/monitor/session.ts'
import { readState, zoneRecordIn } from '../../../../functions/monitor/stored-state/stored-state.ts'
import { tick } from '../../../../functions/monitor/tick.ts'
import { StatusError } from '../../../../shared/kube/status-error.ts'
import type { Decision, ZoneRecord } from '../../../../shared/lifecycle/world.ts'
import {
  canGrant,
  changeRate,
  fullLimiter,
  nextGrantMs,
  spend,
  stoppedLimiter,
} from '../../../../shared/lifecycle/zones/limiter.ts'
import { memoryStore } from '../../../../shared/store/memory/store.ts'
import type { WriteStep } from '../../../../shared/store/ports.ts'
import { SmallFleet, T0 } from '../../../functions/monitor/small-fleet.ts'
import { wrappedStore } from '../../../store-doubles/wrapped-store.ts'
import { casesOf, runCases } from '../vectors.ts'

interface Op {
  readonly op: string
  readonly value?: string
  readonly at?: number
  readonly rate?: number
  readonly actions?: Readonly<Record<string, { readonly done: boolean }>>
}
interface Given {
  readonly limiter: { readonly kind: 'always' | 'never' | 'rate'; readonly rate?: number }
  readonly ops: readonly Op[]
}

/** Conditions know whole seconds: what a vector does in a millisecond happens here in one. */
const SLOWER = 1000
const ZONE = 'a'

const NONE = (_name: string) => false
const ALL = () => true

/** Paid for with a token of its zone, in the same commit. */
function firstTainted(steps: readonly WriteStep[]): string | undefined {
  const replaced = steps.flatMap((step) => (step.do === 'replaceObject' ? [step.believed] : []))
  const isPaid = replaced.some(({ resource }) => resource === 'zones')
  return isPaid ? replaced.find(({ resource }) => resource === 'nodes')?.key.name : undefined
}

/** A zone of the monitor's, whose nodes wait for a taint: who gets one when? */
class WaitingZone {
  readonly #fleet: SmallFleet
  /** Whose taint cannot be written. */
  #failing: (name: string) => boolean = NONE

  constructor({ rate = 1 }: Given['limiter']) {
    const store = (clock: () => number) =>
      wrappedStore(memoryStore({ clock }), {
        call: (name, act, args) => {
          const tainted =
            name === 'commit' ? firstTainted(args[0] as readonly WriteStep[]) : undefined
          if (tainted === undefined || !this.#failing(tainted)) return act()
          throw new StatusError(503, 'ServiceUnavailable', 'by the script')
        },
      })
    const settings = { nodeEvictionRate: rate / SLOWER, nodeEvictionSettleMs: 0 }
    this.#fleet = new SmallFleet({ settings, store })
  }

  /** Enough healthy nodes that the zone stays normal. */
  async open(): Promise<void> {
    await this.#fleet.addNodes(9, [ZONE])
    await this.#tick()
  }

  async run({ op, value = '', at, rate = 0, actions = {} }: Op): Promise<unknown> {
    if (at !== undefined) this.#fleet.nowMs = T0 + at * 1000 * SLOWER
    if (op === 'add') return await this.#add(value)
    if (op === 'rate') return (await this.#record()).limiter.rate * SLOWER
    if (op === 'swap') return await this.#changeRate(rate)
    if (op === 'queue') return (await this.#tick(ALL)).zones[0]!.waiting
    if (op !== 'try') throw new Error(`no such step: ${op}`)
    const failing = Object.entries(actions).flatMap(([name, { done }]) => (done ? [] : [name]))
    const before = await this.#fleet.evicting()
    await this.#tick((name) => failing.includes(name))
    // An attempt that failed was one.
    return [...(await this.#fleet.evicting()).filter((name) => !before.includes(name)), ...failing]
  }

  async #tick(failing = NONE): Promise<Decision> {
    this.#failing = failing
    await this.#fleet.beat(...this.#fleet.names)
    const { decision } = await tick(this.#fleet.session)
    this.#failing = NONE
    return decision
  }

  async #add(name: string): Promise<boolean> {
    await this.#fleet.addNode(name, ZONE)
    await this.#fleet.report(name, 'False')
    // Its NoSchedule taint comes first, and no try has begun yet.
    await this.#tick(ALL)
    return true
  }

  async #record(): Promise<ZoneRecord> {
    const [zone] = (await readState(this.#fleet.session)).zones.values()
    return zoneRecordIn(zone!, this.#fleet.settings, this.#fleet.nowMs)
  }

  /** A monitor that was started with another rate. */
  async #changeRate(rate: number): Promise<null> {
    const { deps } = this.#fleet
    const settings = { ...deps.settings, nodeEvictionRate: rate / SLOWER }
    this.#fleet.session = openSession({ ...deps, settings })
    await this.#tick(ALL)
    return null
  }
}

describe('rate-limited-queue vectors', () => {
  const cases = casesOf<Given, { results: unknown[] }>('rate-limited-queue')
  runCases('rate-limited-queue', cases, async ({ limiter, ops }, { results }) => {
    const zone = new WaitingZone(limiter)
    await zone.open()
    const got: unknown[] = []
    for (const op of ops) got.push(await zone.run(op))
    expect(got).toEqual(results)
  })
})

const rate = fc.double({ min: 0.001, max: 100, noNaN: true })

describe('a limiter', () => {
  it('never issues more than one token and what accrues, over any window', () => {
    const gapsMs = fc.array(fc.nat({ max: 20_000 }), { minLength: 1, maxLength: 60 })
    fc.assert(
      fc.property(rate, gapsMs, (rate, gapsMs) => {
        const grants: number[] = []
        let limiter = fullLimiter(rate, 0)
        let nowMs = 0
        for (const gapMs of gapsMs) {
          nowMs += gapMs
          // Somebody has been waiting all the time: everything that accrued is spent.
          for (let at = nextGrantMs(limiter, 0); at <= nowMs && grants.length < 200; ) {
            grants.push(at)
            limiter = spend(limiter, at)
            at = nextGrantMs(limiter, 0)
          }
        }
        const excess = (from: number, to: number) =>
          to - from + 1 - (1 + ((grants[to]! - grants[from]!) / 1000) * rate)
        const windows = grants.map((_, to) =>
          grants.map((_, from) => (from > to ? 0 : excess(from, to))),
        )
        expect(Math.max(0, ...windows.flat())).toBeLessThan(1e-3)
      }),
      { numRuns: 50 },
    )
  })

  it('gives at most one token for any number of changes of rate at one instant', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(rate, fc.constant(0)), { maxLength: 20 }), (rates) => {
        let limiter = fullLimiter(1, 0)
        let granted = 0
        for (const rate of rates) {
          limiter = changeRate(limiter, rate, 0)
          if (!canGrant(limiter, 0)) continue
          granted++
          limiter = spend(limiter, 0)
        }
        expect(granted).toBeLessThanOrEqual(1)
      }),
    )
  })

  it('mints nothing when a clock runs backwards', () => {
    fc.assert(
      fc.property(rate, fc.nat({ max: 100_000 }), (rate, backMs) => {
        const spent = spend(fullLimiter(rate, 200_000), 200_000)
        expect(canGrant(changeRate(spent, rate + 1, 200_000 - backMs), 200_000)).toBe(false)
        expect(nextGrantMs(spend(spent, 200_000 - backMs), 0)).toBeGreaterThan(200_000)
      }),
    )
  })

  it('that is stopped never grants', () => {
    expect(nextGrantMs(stoppedLimiter(0), 0)).toBe(Number.POSITIVE_INFINITY)
    expect(canGrant(stoppedLimiter(0), 1e15)).toBe(false)
  })

  it.each([
    { when: 'a rate of nothing', of: fullLimiter(0, 5), is: stoppedLimiter(5) },
    { when: 'a rate below nothing', of: fullLimiter(-1, 5), is: stoppedLimiter(5) },
    {
      when: 'stopped twice',
      of: changeRate(stoppedLimiter(5), 0, 9),
      is: stoppedLimiter(5),
    },
    {
      when: 'stopped, with the same rate as before',
      of: changeRate({ ...stoppedLimiter(5), rate: 1 }, 1, 9),
      is: { rate: 1, tokens: 0, refilledAtMs: 9, stopped: false },
    },
    {
      when: 'spent before it was full',
      of: spend({ rate: 1, tokens: 0.25, refilledAtMs: 0, stopped: false }, 0),
      is: { rate: 1, tokens: 0, refilledAtMs: 0, stopped: false },
    },
  ])('with $when', ({ of, is }) => {
    expect(of).toEqual(is)
  })

  it('that is stopped grants nothing, whatever is left in it', () => {
    const left = { ...fullLimiter(1, 0), stopped: true }
    expect(canGrant(left, 1_000)).toBe(false)
    expect(nextGrantMs(left, 0)).toBe(Number.POSITIVE_INFINITY)
  })
})

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  canGrant,
  changeRate,
  fullLimiter,
  type Limiter,
  nextGrantMs,
  spend,
  stoppedLimiter,
} from '../../../../shared/lifecycle/zones/limiter.ts'
import { casesOf, runCases } from '../vectors.ts'

interface Op {
  readonly op: string
  readonly value?: string
  readonly at?: number
  readonly rate?: number
  readonly actions?: Readonly<Record<string, Outcome>>
}
interface Outcome {
  readonly done: boolean
  readonly retryAfter: number
  readonly removeDuring: boolean
}
interface Given {
  readonly limiter: { readonly kind: 'always' | 'never' | 'rate'; readonly rate?: number }
  readonly ops: readonly Op[]
}

const ONE_NS_MS = 1e-6

/**
 * The queue Kubernetes keeps in memory, around our bucket. Here a queue is derived from what is
 * stored in every tick; the one rule of ours it has is that a token is spent in the same write as
 * its taint, or not at all.
 */
class Queue {
  nowMs = 0
  limiter: Limiter
  always: boolean
  readonly waiting = new Map<string, number>()
  readonly remembered = new Set<string>()

  constructor({ kind, rate = 1 }: Given['limiter']) {
    this.always = kind === 'always'
    this.limiter =
      kind === 'never' ? stoppedLimiter(0) : fullLimiter(kind === 'always' ? 1 : rate, 0)
  }

  run({ op, value = '', at, rate = 0, actions = {} }: Op): unknown {
    if (at !== undefined) this.nowMs = at * 1000
    switch (op) {
      case 'add':
        return this.add(value)
      case 'remove':
        return this.remove(value)
      case 'queue':
        return this.order()
      case 'set':
        return [...this.remembered].sort()
      case 'rate':
        return this.limiter.rate
      case 'get': {
        const head = this.order()[0]
        if (head !== undefined) this.remove(head)
        return head ?? null
      }
      case 'clear':
        this.waiting.clear()
        this.remembered.clear()
        return null
      case 'swap':
        // One that always grants calls itself rate 1, and could grant now: any other starts full.
        if (rate !== this.limiter.rate) this.always = false
        this.limiter = changeRate(this.limiter, rate, this.nowMs)
        return null
      default:
        return this.try(actions)
    }
  }

  add(value: string): boolean {
    if (this.remembered.has(value)) return false
    this.remembered.add(value)
    this.waiting.set(value, this.nowMs)
    return true
  }

  remove(value: string): boolean {
    this.waiting.delete(value)
    return this.remembered.delete(value)
  }

  order(): string[] {
    return [...this.waiting].sort(([, a], [, b]) => a - b).map(([value]) => value)
  }

  try(actions: Readonly<Record<string, Outcome>>): string[] {
    const handled: string[] = []
    for (let head = this.order()[0]; head !== undefined; head = this.order()[0]) {
      if (this.waiting.get(head)! > this.nowMs) break
      if (!this.always && !canGrant(this.limiter, this.nowMs)) break
      handled.push(head)
      const outcome = actions[head] ?? { done: true, retryAfter: 0, removeDuring: false }
      if (outcome.removeDuring) this.remove(head)
      if (!outcome.done) {
        if (this.waiting.has(head)) {
          this.waiting.set(head, this.nowMs + outcome.retryAfter * 1000 + ONE_NS_MS)
        }
        continue
      }
      this.waiting.delete(head)
      if (!this.always) this.limiter = spend(this.limiter, this.nowMs)
    }
    return handled
  }
}

describe('rate-limited-queue vectors', () => {
  const cases = casesOf<Given, { results: unknown[] }>('rate-limited-queue')
  runCases('rate-limited-queue', cases, ({ limiter, ops }, { results }) => {
    const queue = new Queue(limiter)
    expect(ops.map((op) => queue.run(op))).toEqual(results)
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
})

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Bucket, createRateLimiter, limitAt, take } from '../../../shared/auth/rate-limit.ts'
import { defaultSettings } from '../../../shared/lifecycle/settings.ts'

const nodeLimit = limitAt(defaultSettings.nodeRequestsPerSecond)

const node = (name: string) => ({ user: `system:node:${name}`, groups: ['system:nodes'] })

const of = (group: string) => ({ user: 'ann', groups: [group] })

describe('one bucket', () => {
  it('never grants more than burst and rate allow, whatever the pattern', () => {
    const gapsMs = fc.array(fc.integer({ min: 0, max: 2_000 }), { maxLength: 400 })
    fc.assert(
      fc.property(gapsMs, (gaps) => {
        let bucket: Bucket | undefined
        let nowMs = 0
        let granted = 0
        for (const gap of gaps) {
          nowMs += gap
          const taken = take(bucket, nodeLimit, nowMs)
          if (taken.kind === 'wait') continue
          bucket = taken.bucket
          granted++
        }
        expect(granted).toBeLessThanOrEqual(nodeLimit.burst + (nowMs / 1000) * nodeLimit.perSecond)
      }),
    )
  })

  it('lets in whoever waits as long as told', () => {
    const empty: Bucket = { tokens: 0, atMs: 0 }
    const refused = take(empty, nodeLimit, 0)
    expect(refused).toEqual({ kind: 'wait', retryAfterSeconds: 1 })
    expect(take(empty, nodeLimit, 1_000).kind).toBe('taken')
  })

  it('gives nothing for a clock that goes back', () => {
    expect(take({ tokens: 0, atMs: 10_000 }, nodeLimit, 0).kind).toBe('wait')
  })
})

describe('the limiter', () => {
  const grants = (
    limiter: ReturnType<typeof createRateLimiter>,
    identity: ReturnType<typeof node>,
    level: 'beat' | 'request' = 'request',
  ) =>
    Array.from({ length: 1_000 }, () => limiter(identity, 0, level)).filter(
      (wait) => wait === undefined,
    )

  it('keeps one mad host from using up the share of another', () => {
    const limiter = createRateLimiter(defaultSettings)
    expect(grants(limiter, node('mad'))).toHaveLength(nodeLimit.burst)
    expect(limiter(node('calm'), 0, 'request')).toBeUndefined()
  })

  it.each([
    { who: 'a host', caller: node('a'), level: 'request', burst: 20 },
    { who: 'the beats of a host', caller: node('a'), level: 'beat', burst: 10 },
    { who: 'an operator', caller: of('leasehold:operators'), level: 'request', burst: 30 },
    { who: 'an administrator', caller: of('system:masters'), level: 'request', burst: 30 },
    { who: 'a viewer', caller: of('leasehold:viewers'), level: 'request', burst: 40 },
  ] as const)('gives $who a rate of its own, ten seconds of it at once', (row) => {
    const rates = {
      beatsPerSecond: 1,
      nodeRequestsPerSecond: 2,
      operatorRequestsPerSecond: 3,
      userRequestsPerSecond: 4,
    }
    expect(grants(createRateLimiter(rates), row.caller, row.level)).toHaveLength(row.burst)
  })

  it('never lets what else a host sends use up its beats', () => {
    const limiter = createRateLimiter(defaultSettings)
    grants(limiter, node('a'))
    expect(limiter(node('a'), 0, 'request')).toBe(1)
    expect(limiter(node('a'), 0, 'beat')).toBeUndefined()
  })

  it('remembers no more identities than it may, the latest ones', () => {
    const limiter = createRateLimiter(defaultSettings, 2)
    grants(limiter, node('a'))
    grants(limiter, node('b'))
    expect(limiter(node('b'), 0, 'request')).toBe(1)
    grants(limiter, node('c'))
    expect(limiter(node('b'), 0, 'request')).toBe(1)
    expect(limiter(node('a'), 0, 'request')).toBeUndefined()
  })
})

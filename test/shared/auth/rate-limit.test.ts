import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  type Bucket,
  createRateLimiter,
  nodeLimit,
  take,
  userLimit,
} from '../../../shared/auth/rate-limit.ts'

const node = (name: string) => ({ user: `system:node:${name}`, groups: ['system:nodes'] })

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
  ) =>
    Array.from({ length: 1_000 }, () => limiter(identity, 0)).filter((wait) => wait === undefined)

  it('keeps one mad host from using up the share of another', () => {
    const limiter = createRateLimiter()
    expect(grants(limiter, node('mad'))).toHaveLength(nodeLimit.burst)
    expect(limiter(node('calm'), 0)).toBeUndefined()
  })

  it('gives people more than hosts', () => {
    const ann = { user: 'ann', groups: ['leasehold:viewers'] }
    expect(grants(createRateLimiter(), ann)).toHaveLength(userLimit.burst)
  })

  it('remembers no more identities than it may, the latest ones', () => {
    const limiter = createRateLimiter(2)
    grants(limiter, node('a'))
    grants(limiter, node('b'))
    expect(limiter(node('b'), 0)).toBe(1)
    grants(limiter, node('c'))
    expect(limiter(node('b'), 0)).toBe(1)
    expect(limiter(node('a'), 0)).toBeUndefined()
  })
})

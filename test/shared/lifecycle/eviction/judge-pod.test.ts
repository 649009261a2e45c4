import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Pod, Taint } from '../../../../shared/kube/objects.ts'
import { formatTime } from '../../../../shared/kube/time.ts'
import type { EvictionCountdown } from '../../../../shared/lifecycle/eviction/countdown.ts'
import { judgePod, type PodCase } from '../../../../shared/lifecycle/eviction/judge-pod.ts'

const T0 = Date.UTC(2024, 0, 1)
const NOT_READY = 'node.kubernetes.io/not-ready'
const UNREACHABLE = 'node.kubernetes.io/unreachable'
const noPause = () => 0

const taint = (key: string, addedAtMs?: number): Taint => ({
  key,
  effect: 'NoExecute',
  ...(addedAtMs !== undefined && { timeAdded: formatTime(addedAtMs) }),
})

/** On its node since long before T0, tolerating each key for so many seconds. */
function podTolerating(seconds: Readonly<Record<string, number | undefined>>): Pod {
  const tolerations = Object.entries(seconds).map(([key, tolerationSeconds]) => ({
    key,
    operator: 'Exists',
    tolerationSeconds,
  }))
  return {
    metadata: { name: 'p', namespace: 'default', creationTimestamp: formatTime(T0 - 3_600_000) },
    spec: { nodeName: 'n1', tolerations },
  }
}

const judge = (one: Partial<PodCase>) =>
  judgePod({
    pod: podTolerating({ [NOT_READY]: 300, [UNREACHABLE]: 300 }),
    taints: [taint(UNREACHABLE, T0)],
    due: undefined,
    nowMs: T0 + 60_000,
    pausedMs: noPause,
    ...one,
  })

/** The end of T0's second: a stamp cut to the second may have been made then. */
const SINCE_T0: EvictionCountdown = { startedAtMs: T0 + 999, dueAtMs: T0 + 300_999 }

describe('where a countdown begins', () => {
  it('counts from the time stored in the taint, however late it is first judged', () => {
    const verdict = judge({})
    expect(verdict).toEqual({
      kind: 'wait',
      dueAtMs: SINCE_T0.dueAtMs,
      due: SINCE_T0,
      countdown: 'started',
    })
  })

  it('evicts at once when the time ran out while nobody looked', () => {
    const verdict = judge({ nowMs: T0 + 301_000 })
    expect(verdict).toEqual({ kind: 'evict', reason: 'timeUp', cancels: false })
  })

  it('counts from now when the taint does not say since when it is there', () => {
    const verdict = judge({ taints: [taint(UNREACHABLE)] })
    expect(verdict).toMatchObject({ due: { startedAtMs: T0 + 60_000, dueAtMs: T0 + 360_000 } })
  })

  it('never counts from the future', () => {
    const verdict = judge({ taints: [taint(UNREACHABLE, T0 + 3_600_000)] })
    expect(verdict).toMatchObject({ due: { startedAtMs: T0 + 60_000 } })
  })

  it('counts from the binding when that came after the taint', () => {
    const pod: Pod = {
      ...podTolerating({ [UNREACHABLE]: 300 }),
      status: {
        conditions: [
          { type: 'PodScheduled', status: 'True', lastTransitionTime: formatTime(T0 + 30_000) },
        ],
      },
    }
    expect(judge({ pod })).toMatchObject({ due: { startedAtMs: T0 + 30_999 } })
  })

  it.each([
    { when: 'another condition turned True', type: 'Ready', status: 'True' },
    { when: 'it could not be scheduled', type: 'PodScheduled', status: 'False' },
  ] as const)('does not take it for the binding when $when', ({ type, status }) => {
    const lastTransitionTime = formatTime(T0 + 30_000)
    const conditions = [{ type, status, lastTransitionTime }]
    const pod: Pod = { ...podTolerating({ [UNREACHABLE]: 300 }), status: { conditions } }
    expect(judge({ pod })).toMatchObject({ due: SINCE_T0 })
  })

  it('takes a time with fractions of a second at its word', () => {
    const exact = {
      key: UNREACHABLE,
      effect: 'NoExecute',
      timeAdded: '2024-01-01T00:00:00.250Z',
    } as const
    expect(judge({ taints: [exact] })).toMatchObject({ due: { startedAtMs: T0 + 250 } })
  })

  it('counts from now when the time of the taint cannot be read', () => {
    const odd = { key: UNREACHABLE, effect: 'NoExecute', timeAdded: 'yesterday' } as const
    expect(judge({ taints: [odd] })).toMatchObject({ due: { startedAtMs: T0 + 60_000 } })
  })

  it('replays taints in the order they came: a later, shorter one does not shorten', () => {
    const pod = podTolerating({ a: 300, b: 10 })
    const taints = [taint('b', T0 + 50_000), taint('a', T0)]
    expect(judge({ pod, taints })).toMatchObject({ due: SINCE_T0 })
  })

  it('does not count a taint that is tolerated forever', () => {
    const pod = podTolerating({ a: undefined, b: 10 })
    const taints = [taint('a', T0), taint('b', T0 + 55_000)]
    expect(judge({ pod, taints })).toMatchObject({ due: { startedAtMs: T0 + 55_999 } })
  })
})

describe('full disruption', () => {
  const floorMs = T0 + 50_000

  it('starts the clock afresh for lifecycle taints, and says so', () => {
    const verdict = judge({ due: SINCE_T0, floorMs })
    const due = { startedAtMs: floorMs, dueAtMs: floorMs + 300_000 }
    expect(verdict).toEqual({ kind: 'wait', dueAtMs: due.dueAtMs, due, countdown: 'replaced' })
  })

  it('leaves a countdown alone that began with the end of it', () => {
    const due = { startedAtMs: floorMs, dueAtMs: floorMs + 300_000 }
    expect(judge({ due, floorMs })).toMatchObject({ due, countdown: 'running' })
  })

  it("lets a user's own taint count on beside a lifecycle taint", () => {
    const pod = podTolerating({ mine: 300, [UNREACHABLE]: 300 })
    const taints = [taint('mine', T0), taint(UNREACHABLE, T0)]
    expect(judge({ pod, taints, due: SINCE_T0, floorMs })).toMatchObject({ countdown: 'running' })
  })

  it("begins the countdown of a user's own taint at that taint, not at the end of it", () => {
    const pod = podTolerating({ mine: 300 })
    expect(judge({ pod, taints: [taint('mine', T0)], floorMs })).toMatchObject({ due: SINCE_T0 })
  })

  it("lets a user's own taint count on", () => {
    const pod = podTolerating({ mine: 300 })
    const verdict = judge({ pod, taints: [taint('mine', T0)], due: SINCE_T0, floorMs })
    expect(verdict).toMatchObject({ due: SINCE_T0, countdown: 'running' })
  })
})

describe('who is left alone', () => {
  const gone = { metadata: { deletionTimestamp: formatTime(T0) }, spec: { nodeName: 'n1' } }
  const target = { type: 'DisruptionTarget', status: 'True', reason: 'DeletionByTaintManager' }
  it.each<{ when: string; one: Partial<PodCase>; kind: string }>([
    { when: 'nothing is tainted', one: { taints: [] }, kind: 'leave' },
    { when: 'the last taint went', one: { taints: [], due: SINCE_T0 }, kind: 'cancel' },
    { when: 'the pod went', one: { pod: undefined, due: SINCE_T0 }, kind: 'cancel' },
    { when: 'the pod went uncounted', one: { pod: undefined }, kind: 'leave' },
    { when: 'the node went', one: { taints: undefined }, kind: 'leave' },
    {
      when: 'the node went during a countdown',
      one: { taints: undefined, due: SINCE_T0 },
      kind: 'wait',
    },
    { when: 'the pod is on no host', one: { pod: { metadata: {} } }, kind: 'leave' },
    { when: 'somebody else deleted the pod', one: { pod: gone }, kind: 'evict' },
    {
      when: 'the pod was evicted before',
      one: { pod: { ...gone, status: { conditions: [target as never] } } },
      kind: 'leave',
    },
  ])('$when: $kind', ({ one, kind }) => {
    expect(judge(one).kind).toBe(kind)
  })
})

describe('laws', () => {
  const limited = fc.record({
    notReady: fc.option(fc.integer({ min: 0, max: 600 }), { nil: undefined }),
    seconds: fc.integer({ min: 0, max: 600 }),
    waitMs: fc.integer({ min: 1, max: 100_000 }),
    pauseMs: fc.integer({ min: 0, max: 50_000 }),
    swaps: fc.boolean(),
  })

  it('never moves a running countdown, whatever tolerations and swaps come later', () => {
    fc.assert(
      fc.property(fc.array(limited), (steps) => {
        let nowMs = T0 + 1_000
        for (const step of steps) {
          nowMs += step.waitMs
          const pod = podTolerating({ [NOT_READY]: step.notReady, [UNREACHABLE]: step.seconds })
          const taints = [taint(UNREACHABLE, nowMs), ...(step.swaps ? [taint(NOT_READY, T0)] : [])]
          const verdict = judge({ pod, taints, due: SINCE_T0, nowMs })
          const isOver = SINCE_T0.dueAtMs <= nowMs
          expect(verdict).toMatchObject(isOver ? { kind: 'evict' } : { due: SINCE_T0 })
        }
      }),
    )
  })

  it('finds the same due time whenever it is first judged', () => {
    const moment = fc.integer({ min: 1_000, max: 300_000 })
    fc.assert(
      fc.property(moment, moment, (first, second) => {
        expect(judge({ nowMs: T0 + first })).toEqual(judge({ nowMs: T0 + second }))
      }),
    )
  })

  it('never evicts before the whole time has run outside every pause', () => {
    fc.assert(
      fc.property(limited, ({ seconds, pauseMs, waitMs }) => {
        const pod = podTolerating({ [UNREACHABLE]: seconds })
        const nowMs = T0 + 1_000 + waitMs + pauseMs
        const verdict = judge({ pod, nowMs, pausedMs: () => pauseMs })
        const ranMs = nowMs - (T0 + 999) - pauseMs
        expect(verdict.kind).toBe(ranMs >= seconds * 1000 ? 'evict' : 'wait')
      }),
    )
  })
})

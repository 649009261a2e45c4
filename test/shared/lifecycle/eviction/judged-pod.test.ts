import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Pod } from '../../../../shared/kube/objects.ts'
import { withCountdown, withoutCountdown } from '../../../../shared/lifecycle/eviction/countdown.ts'
import { evictedPod } from '../../../../shared/lifecycle/eviction/evicted-pod.ts'
import { carriedOver, judgedPod } from '../../../../shared/lifecycle/eviction/judged-pod.ts'

const NOW = Date.UTC(2026, 0, 1)
const word = fc.string({ maxLength: 5 })
const words = fc.dictionary(word, word, { maxKeys: 3 })
const condition = fc.record({
  type: fc.constantFrom('Ready', 'PodScheduled', 'DisruptionTarget'),
  status: fc.constantFrom('True', 'False'),
  message: word,
})
const pods = fc.record({
  metadata: fc.record({ name: word, uid: word, labels: words, annotations: words }),
  spec: fc.record({
    nodeName: word,
    hostname: word,
    terminationGracePeriodSeconds: fc.nat({ max: 60 }),
  }),
  status: fc.record({
    phase: fc.constantFrom('Running', 'Failed'),
    conditions: fc.array(condition, { maxLength: 3 }),
    hostIP: word,
  }),
}) as fc.Arbitrary<Pod>

/** An empty map of annotations says the same as none. */
const plain = (pod: Pod) =>
  JSON.parse(JSON.stringify(pod, (key, value) => (isEmpty(key, value) ? undefined : value)))
const isEmpty = (key: string, value: unknown) =>
  key === 'annotations' && Object.keys(value as object).length === 0

const countdown = { startedAtMs: NOW, dueAtMs: NOW + 1_000 }

describe('what is decided on the judged form of a pod', () => {
  it.each([
    { what: 'an eviction', decide: (pod: Pod) => evictedPod(pod, NOW).pod },
    { what: 'a countdown', decide: (pod: Pod) => withCountdown(pod, countdown) },
    {
      what: 'its end',
      decide: (pod: Pod) => withoutCountdown(withCountdown(pod, countdown)),
    },
  ])('is what would be decided on the whole pod: $what', ({ decide }) => {
    fc.assert(
      fc.property(pods, (whole) => {
        const judged = judgedPod(whole)
        const written = carriedOver(whole, judged, decide(judged))
        expect(plain(written)).toEqual(plain(decide(whole)))
      }),
    )
  })

  it('removes a stored countdown', () => {
    const whole = withCountdown({ metadata: { name: 'p', annotations: { a: 'b' } } }, countdown)
    const judged = judgedPod(whole)
    expect(carriedOver(whole, judged, withoutCountdown(judged))).toEqual({
      metadata: { name: 'p', annotations: { a: 'b' } },
    })
  })

  it('leaves everything else of the stored pod alone', () => {
    const whole = { metadata: { name: 'p' }, status: { phase: 'Running', hostIP: '10.0.0.1' } }
    const judged = judgedPod(whole)
    const next = { ...judged, status: { ...judged.status, phase: 'Failed', reason: undefined } }
    expect(carriedOver(whole, judged, next)).toStrictEqual({
      metadata: { name: 'p' },
      status: { phase: 'Failed', hostIP: '10.0.0.1' },
    })
  })
})

describe('the judged form', () => {
  it('has nothing that is not there, and no annotation but a countdown', () => {
    const annotations = { other: 'x' }
    const whole = { metadata: { name: 'p', annotations }, spec: { nodeName: 'n', hostname: 'h' } }
    expect(judgedPod(whole)).toStrictEqual({ metadata: { name: 'p' }, spec: { nodeName: 'n' } })
  })
})

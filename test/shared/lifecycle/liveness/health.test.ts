import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Node } from '../../../../shared/kube/objects.ts'
import { formatTime } from '../../../../shared/kube/time.ts'
import { decide } from '../../../../shared/lifecycle/decide.ts'
import {
  deadlineMs,
  GRACE_ANNOTATION,
  graceOfMs,
  hasDeparted,
  lastSignMs,
  readyOf,
} from '../../../../shared/lifecycle/liveness/health.ts'
import { defaultSettings } from '../../../../shared/lifecycle/settings.ts'
import type { KnownNode } from '../../../../shared/lifecycle/world.ts'
import { beatOf, knownNode, worldOf } from '../fleet.ts'
import { Stage } from '../stage.ts'
import {
  nodeOf,
  seconds,
  type VectorCondition,
  type VectorConfig,
  type VectorLease,
  type VectorNode,
  vectorCondition,
} from '../vector-shapes.ts'
import { casesOf, runCases } from '../vectors.ts'

interface Given {
  readonly config: VectorConfig & { readonly leaseCircuitBreaker: boolean }
  readonly now: number
  readonly saved: {
    readonly probe: number
    readonly conditions: readonly VectorCondition[]
    readonly lease: VectorLease | null
  } | null
  readonly node: VectorNode
  readonly cachedLease?: VectorLease
  readonly liveLease?: VectorLease
  readonly liveLeaseGet?: string
}
interface Expected {
  readonly outcome: 'ok' | 'skip'
  readonly gracePeriod?: number
  readonly observed?: VectorCondition
  readonly current?: VectorCondition | null
  readonly statusWritten: boolean
  readonly conditions?: readonly VectorCondition[]
  readonly health?: { readonly probe: number }
}

/** What was known is written when it was last heard of; then what is there now. */
async function stageOf({ config, saved, node, now, ...given }: Given): Promise<Stage> {
  const stage = new Stage({ config, pods: [] })
  if (saved) {
    stage.seconds = saved.probe
    await stage.putNode(nodeOf({ ...node, conditions: saved.conditions }))
    if (saved.lease) await stage.setLease(saved.lease, false)
  }
  stage.seconds = now
  await stage.putNode(nodeOf(node))
  const lease = (config.leaseCircuitBreaker && given.liveLease) || given.cachedLease
  if (lease) await stage.setLease(lease, false)
  if (config.leaseCircuitBreaker && given.liveLeaseGet === 'error') stage.failing.leaseScan = 1
  return stage
}

/** Kubernetes compares times in memory; on the wire a condition knows whole seconds. */
function onWire(condition: VectorCondition | null | undefined) {
  return condition && { ...condition, transition: Math.floor(condition.transition) }
}

describe('try-update-node-health vectors', () => {
  const cases = casesOf<Given, Expected>('try-update-node-health')
  runCases('try-update-node-health', cases, async (given, expected) => {
    const stage = await stageOf(given)
    const before = (await stage.node(given.node.name))!
    // Leases are read before anything is decided: without them there is no tick.
    const outcome = (await stage.tick()) ? 'ok' : 'skip'
    const after = (await stage.node(given.node.name))!

    expect(outcome).toBe(expected.outcome)
    expect(stage.statusWrites('nodes')).toBe(expected.statusWritten ? 1 : 0)
    if (expected.gracePeriod !== undefined) {
      expect(graceOfMs(before.object, stage.fleet.settings)).toBe(expected.gracePeriod * 1000)
    }
    if (expected.current !== undefined) {
      const current = readyOf(after.object)
      expect(current ? vectorCondition(current) : null).toEqual(onWire(expected.current))
    }
    const observed = readyOf(before.object)
    if (expected.observed && (expected.observed.reason !== '' || observed)) {
      expect(vectorCondition(observed!)).toEqual(expected.observed)
    }
    if (expected.conditions) {
      expect((after.object.status?.conditions ?? []).map(vectorCondition)).toEqual(
        expected.conditions.map(onWire),
      )
    }
    if (expected.health) {
      expect(seconds(await stage.lastSignMs(given.node.name))).toBe(expected.health.probe)
    }
  })
})

const bare = (extra: Partial<Node['metadata']> = {}): KnownNode =>
  knownNode({
    metadata: { name: 'n', uid: 'u', creationTimestamp: formatTime(0), ...extra },
    status: { conditions: [{ type: 'Ready', status: 'True' }] },
  })
const watch = { floorMs: 0, blind: [] }

describe('a deadline', () => {
  it.each([
    { when: 'nothing is said', text: undefined, graceMs: 50_000 },
    { when: 'the annotation says so', text: '7s', graceMs: 7_000 },
    { when: 'the annotation is too short', text: '1s', graceMs: 3_000 },
    { when: 'the annotation is too long', text: '2h', graceMs: 3_600_000 },
    { when: 'the annotation is not a duration', text: 'soon', graceMs: 50_000 },
  ])('is $graceMs ms after the last beat when $when', ({ text, graceMs }) => {
    const node = bare(text === undefined ? {} : { annotations: { [GRACE_ANNOTATION]: text } })
    const beat = beatOf('n', 1_000_000)
    expect(deadlineMs(node, beat, watch, defaultSettings)).toBe(1_000_000 + graceMs)
  })

  it('ignores the lease of an earlier node of the same name', () => {
    const beat = { ...beatOf('n', 1_000_000), ownerUid: 'another' }
    expect(lastSignMs(bare(), beat, 0)).toBe(0)
  })

  it('moves with the floor that leaving a full disruption sets', () => {
    expect(lastSignMs(bare(), beatOf('n', 5_000), 9_000)).toBe(9_000)
  })
})

describe('a host', () => {
  it.each([
    { when: 'it released its lease and is cordoned', holder: '', cordoned: true, departed: true },
    { when: 'it only released its lease', holder: '', cordoned: false, departed: false },
    { when: 'it is only cordoned', holder: 'n', cordoned: true, departed: false },
  ])('has departed: $departed, when $when', ({ holder, cordoned, departed }) => {
    const node = { ...bare().object, spec: { unschedulable: cordoned } }
    expect(hasDeparted(node, { ...beatOf('n', 0), holderIdentity: holder })).toBe(departed)
  })

  it('that beat within its grace is never marked', () => {
    const ms = fc.nat({ max: 10_000_000 })
    fc.assert(
      fc.property(
        ms,
        ms,
        fc.nat({ max: 50_000 }),
        fc.boolean(),
        (otherMs, beatMs, ageMs, byLease) => {
          const node = bare()
          const stamped = byLease ? node : { ...node, receivedAtMs: beatMs }
          const beats = [beatOf('n', byLease ? beatMs : Math.min(otherMs, beatMs))]
          const { actions } = decide(worldOf([stamped], beats), beatMs + ageMs, defaultSettings)
          expect(actions.some((action) => action.do === 'markUnknown')).toBe(false)
        },
      ),
    )
  })

  it('that is silent beyond its grace is marked, one millisecond after its deadline', () => {
    fc.assert(
      fc.property(fc.nat({ max: 10_000_000 }), (beatMs) => {
        const world = worldOf([bare()], [beatOf('n', beatMs)])
        const { actions } = decide(world, beatMs + 50_001, defaultSettings)
        expect(actions.some((action) => action.do === 'markUnknown')).toBe(true)
      }),
    )
  })
})

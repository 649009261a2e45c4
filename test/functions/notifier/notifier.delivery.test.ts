/**
 * Restarts, repeats and a bus that fails for a while: nothing is lost, and each object's story
 * keeps its order.
 */
import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { PublishResult } from '../../../functions/notifier/bus.ts'
import { replayUndelivered } from '../../../functions/notifier/replay.ts'
import type { ConditionStatus } from '../../../shared/kube/objects.ts'
import type { DomainEvent } from '../../../shared/lifecycle/events/domain-event.ts'
import { eventRecorder } from '../../../shared/store/event-recorder.ts'
import { memoryDeadLetters } from './memory-dead-letters.ts'
import {
  byObject,
  drain,
  erase,
  firsts,
  goodBus,
  node,
  stage,
  testBus,
  testNotifier,
  type World,
  world,
  write,
} from './rig.ts'

type Happening = (its: World) => Promise<unknown>

const statuses: readonly ConditionStatus[] = ['True', 'False', 'Unknown']
const taint = { key: 'node.kubernetes.io/unreachable', effect: 'NoExecute' as const }
const hosts = fc.constantFrom('a', 'b', 'c')

const anyHappening: fc.Arbitrary<Happening> = fc.oneof(
  fc
    .tuple(hosts, fc.constantFrom(...statuses), fc.boolean(), fc.boolean())
    .map(([name, ready, tainted, unschedulable]): Happening => {
      const spec = { unschedulable, ...(tainted && { taints: [taint] }) }
      return (its) => write(its, 'nodes', node(name, ready, spec))
    }),
  hosts.map(
    (name): Happening =>
      (its) =>
        erase(its, 'nodes', name),
  ),
  fc
    .constantFrom('Initial', 'Normal', 'PartialDisruption', 'FullDisruption')
    .map((state): Happening => {
      const zone = { metadata: { name: 'eu.a' }, status: { state, nodes: 3, notReady: 1 } }
      return (its) => write(its, 'zones', zone)
    }),
  fc.constantFrom('none', 'entering', 'entered').map((disruption): Happening => {
    const fleet = { metadata: { name: 'fleet' }, status: { record: { disruption } } }
    return (its) => write(its, 'fleets', fleet)
  }),
  fc.tuple(hosts, fc.boolean()).map(([name, evicted]): Happening => {
    const target = { type: 'DisruptionTarget', status: 'True', reason: 'DeletionByTaintManager' }
    const status = { conditions: evicted ? [target] : [] }
    return (its) => write(its, 'pods', { metadata: { namespace: 'shop', name }, status } as never)
  }),
  hosts.map(
    (holderIdentity): Happening =>
      async ({ store, clock }) => {
        clock.advance(60_000)
        const key = { namespace: 'default', name: 'lock' }
        const spec = { holderIdentity, leaseDurationSeconds: 15, renewTime: String(clock()) }
        const found = await store.leases.get(key)
        if (found) await store.leases.replace({ ...found.object, spec }, found)
        else await store.leases.create({ metadata: { ...key, uid: 'uid-of-lock' }, spec })
      },
  ),
)

async function happen(happenings: readonly Happening[]): Promise<World> {
  const its = world()
  for (const happening of happenings) await happening(its)
  return its
}

const stories = fc.array(anyHappening, { minLength: 1, maxLength: 25 })
const weather = fc.record({
  batch: fc.integer({ min: 1, max: 12 }),
  /** What the bus says, one word after the other; then it is well. */
  verdicts: fc.array(fc.constantFrom<PublishResult['kind']>('delivered', 'again'), {
    maxLength: 150,
  }),
  /** How many calls long it takes nothing of one host, whatever else it takes. */
  outage: fc.record({ host: hosts, calls: fc.integer({ min: 0, max: 30 }) }),
  /** In which calls the process dies after the bus has heard. */
  crashes: fc.uniqueArray(fc.integer({ min: 1, max: 12 }), { maxLength: 4 }),
})

type Storm = Omit<typeof weather extends fc.Arbitrary<infer T> ? T : never, 'batch'>

function stormyBus({ verdicts, outage, crashes }: Storm) {
  let asked = 0
  const bus = testBus((event, call) => {
    if (event.detail.object.name === outage.host && call <= outage.calls) return 'again'
    return verdicts[asked++] ?? 'delivered'
  })
  return {
    heard: bus.heard,
    publish: async (events: readonly DomainEvent[]) => {
      const answer = await bus.publish(events)
      if (crashes.includes(bus.calls)) throw new Error('the process died here')
      return answer
    },
  }
}

const sorted = (events: readonly DomainEvent[]) =>
  events.toSorted((one, other) => (one.id < other.id ? -1 : 1))

it('everything arrives, without repeats exactly as decided, each object in its order', async () => {
  await fc.assert(
    fc.asyncProperty(stories, weather, async (story, { batch, ...storm }) => {
      const its = await happen(story)
      const decided = its.decided()
      const bus = stormyBus(storm)
      // No patience limit: nothing may be parked, so everything has to get through.
      const { notify } = testNotifier(its, bus, { giveUpAfterMs: Number.POSITIVE_INFINITY })
      expect(await drain(notify, its.stream, { batch })).toBe('drained')
      expect(sorted(firsts(bus.heard))).toEqual(sorted(decided))
      expect(byObject(firsts(bus.heard))).toEqual(byObject(decided))
    }),
    { numRuns: 150 },
  )
})

it('what was given up on arrives when it is replayed', async () => {
  await fc.assert(
    fc.asyncProperty(stories, weather, async (story, { batch, ...storm }) => {
      const its = await happen(story)
      const decided = its.decided()
      const queue = memoryDeadLetters()
      const bus = stormyBus(storm)
      const impatient = { giveUpAfterMs: 0, deadLetters: queue }
      await drain(testNotifier(its, bus, impatient).notify, its.stream, { batch })
      const mended = goodBus()
      const recorder = eventRecorder(its.store, its.clock)
      const { left } = await replayUndelivered({ stage, queue, bus: mended, recorder })
      expect(left).toEqual([])
      expect(queue.size).toBe(0)
      expect(sorted(firsts([...bus.heard, ...mended.heard]))).toEqual(sorted(decided))
    }),
    { numRuns: 100 },
  )
})

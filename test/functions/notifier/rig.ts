/**
 * A world to be told about, a bus that does as it is told, and Lambda's way of handing out a
 * stream.
 */
import type { EventBus, PublishResult } from '../../../functions/notifier/bus.ts'
import {
  createNotifier,
  type NotifierDeps,
  type StreamHandler,
} from '../../../functions/notifier/notifier.ts'
import type { UndeliveredEvent } from '../../../functions/notifier/undelivered-event.ts'
import type { ConditionStatus, KubeObject, Node } from '../../../shared/kube/objects.ts'
import type { DomainEvent } from '../../../shared/lifecycle/events/domain-event.ts'
import { domainEvents } from '../../../shared/lifecycle/events/domain-events.ts'
import { eventRecorder } from '../../../shared/store/event-recorder.ts'
import { memoryStore } from '../../../shared/store/memory/store.ts'
import type { Store } from '../../../shared/store/ports.ts'
import type { StreamRecord } from '../../../shared/store/stream-record.ts'
import { putStep } from '../../builders/stored-object.ts'
import { type TestClock, testClock } from '../../contract/rig.ts'
import { streamingStore } from './streaming-store.ts'

export const startMs = Date.UTC(2026, 0, 1)
export const stage = 'test'

export function world() {
  const clock = testClock(startMs)
  const { store, stream, transitions } = streamingStore(memoryStore({ clock }), clock)
  /** Everything the world ought to hear, from what was stored. */
  const decided = () => transitions.flatMap((transition) => domainEvents(transition, stage))
  return { clock, store, stream, decided }
}

export type World = ReturnType<typeof world>

// ---- writing ------------------------------------------------------------------------------------

let uids = 0

/** Creates or replaces; each write a millisecond after the last. */
export async function write(
  { store, clock }: Pick<World, 'store' | 'clock'>,
  resource: string,
  object: KubeObject,
): Promise<void> {
  clock.advance(1)
  uids += 1
  await store.commit([await putStep(store, resource, object, { uid: `uid-${uids}` })])
}

export async function erase(
  { store, clock }: Pick<World, 'store' | 'clock'>,
  resource: string,
  name: string,
): Promise<void> {
  clock.advance(1)
  const believed = await store.objects.get(resource, { namespace: '', name })
  if (believed) await store.commit([{ do: 'deleteObject', believed }])
}

export function node(name: string, ready: ConditionStatus = 'True', spec: Node['spec'] = {}): Node {
  return { metadata: { name }, spec, status: { conditions: [{ type: 'Ready', status: ready }] } }
}

// ---- hearing ------------------------------------------------------------------------------------

export interface TestBus extends EventBus {
  /** Each delivery, repeats included, in the order of arrival. */
  readonly heard: DomainEvent[]
  /** How often it was asked. */
  readonly calls: number
}

/** Events travel as JSON, so what is heard shares nothing with what was sent. */
export function testBus(
  judge: (event: DomainEvent, call: number) => PublishResult['kind'],
): TestBus {
  const heard: DomainEvent[] = []
  let calls = 0
  return {
    heard,
    get calls() {
      return calls
    },
    async publish(events) {
      calls += 1
      return events.map((event): PublishResult => {
        const kind = judge(event, calls)
        if (kind === 'delivered') heard.push(JSON.parse(JSON.stringify(event)))
        return kind === 'delivered' ? { kind } : { kind, why: `the test said ${kind}` }
      })
    },
  }
}

export const goodBus = () => testBus(() => 'delivered')

export interface TestNotifier {
  readonly notify: StreamHandler
  readonly deadLetters: UndeliveredEvent[]
  readonly undelivered: number[]
}

export function testNotifier(
  { clock, store }: { readonly clock: TestClock; readonly store: Store },
  bus: EventBus,
  deps: Partial<NotifierDeps> = {},
): TestNotifier {
  const deadLetters: UndeliveredEvent[] = []
  const undelivered: number[] = []
  const notify = createNotifier({
    stage,
    bus,
    recorder: eventRecorder(store, clock),
    deadLetters: {
      send: async (event) => {
        deadLetters.push(event)
      },
    },
    clock,
    random: () => 0.5,
    sleep: async (ms) => clock.advance(ms),
    onUndelivered: (count) => undelivered.push(count),
    ...deps,
  })
  return { notify, deadLetters, undelivered }
}

/**
 * As Lambda does it: batch after batch, again from the first failure, the whole batch after a
 * crash.
 */
export async function drain(
  notify: StreamHandler,
  stream: readonly StreamRecord[],
  { batch = 100, runs = 1_000 }: { readonly batch?: number; readonly runs?: number } = {},
): Promise<'drained' | 'stuck'> {
  const records = [...stream]
  let at = 0
  for (let run = 0; run < runs; run += 1) {
    if (at >= records.length) return 'drained'
    const Records = records.slice(at, at + batch)
    const answer = await notify({ Records }).catch(() => undefined)
    const failed = answer?.batchItemFailures[0]?.itemIdentifier
    if (answer && failed === undefined) at += Records.length
    else if (failed !== undefined)
      at = records.findIndex(({ dynamodb }) => dynamodb?.SequenceNumber === failed)
  }
  return 'stuck'
}

export const idsOf = (events: readonly DomainEvent[]) => events.map(({ id }) => id)

/** Each event where it was first heard. */
export function firsts(heard: readonly DomainEvent[]): readonly DomainEvent[] {
  const known = new Set<string>()
  return heard.filter(({ id }) => !known.has(id) && known.add(id))
}

export function byObject(events: readonly DomainEvent[]): ReadonlyMap<string, readonly number[]> {
  const versions = Map.groupBy(events, ({ detail }) => detail.object.uid)
  return new Map([...versions].map(([uid, its]) => [uid, its.map(({ detail }) => detail.version)]))
}

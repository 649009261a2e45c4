/**
 * A world to be told about, a bus that does as it is told, and Lambda's way of handing out a
 * stream.
 */
import type { Bus, Verdict } from '../../../functions/notifier/bus.ts'
import { storedDiary } from '../../../functions/notifier/diary.ts'
import type { Letter } from '../../../functions/notifier/letter.ts'
import {
  createNotifier,
  type Notifier,
  type NotifierDeps,
} from '../../../functions/notifier/notifier.ts'
import type { ConditionStatus, KubeObject, Node } from '../../../shared/kube/objects.ts'
import type { DomainEvent } from '../../../shared/lifecycle/announce/domain-event.ts'
import { domainEvents } from '../../../shared/lifecycle/domain-events.ts'
import { memoryStore } from '../../../shared/store/memory/store.ts'
import type { Store } from '../../../shared/store/ports.ts'
import type { StreamRecord } from '../../../shared/store/stream-record.ts'
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
  const { name = '', namespace = '' } = object.metadata
  const believed = await store.objects.get(resource, { namespace, name })
  uids += believed ? 0 : 1
  const metadata = { ...object.metadata, uid: believed?.uid ?? `uid-${uids}` }
  const content = { object: { ...object, metadata }, fields: {} }
  const step = believed
    ? { do: 'replaceObject' as const, believed, ...content }
    : { do: 'createObject' as const, resource, ...content }
  await store.commit([step])
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

export interface TestBus extends Bus {
  /** Each delivery, repeats included, in the order of arrival. */
  readonly heard: DomainEvent[]
  /** How often it was asked. */
  readonly calls: number
}

/** Events travel as JSON, so what is heard shares nothing with what was sent. */
export function testBus(judge: (event: DomainEvent, call: number) => Verdict['kind']): TestBus {
  const heard: DomainEvent[] = []
  let calls = 0
  return {
    heard,
    get calls() {
      return calls
    },
    async publish(events) {
      calls += 1
      return events.map((event): Verdict => {
        const kind = judge(event, calls)
        if (kind === 'delivered') heard.push(JSON.parse(JSON.stringify(event)))
        return kind === 'delivered' ? { kind } : { kind, why: `the test said ${kind}` }
      })
    },
  }
}

export const goodBus = () => testBus(() => 'delivered')

export interface TestNotifier {
  readonly notify: Notifier
  readonly letters: Letter[]
  readonly undelivered: number[]
}

export function testNotifier(
  { clock, store }: { readonly clock: TestClock; readonly store: Store },
  bus: Bus,
  deps: Partial<NotifierDeps> = {},
): TestNotifier {
  const letters: Letter[] = []
  const undelivered: number[] = []
  const notify = createNotifier({
    stage,
    bus,
    diary: storedDiary(store, clock),
    deadLetters: {
      park: async (letter) => {
        letters.push(letter)
      },
    },
    clock,
    random: () => 0.5,
    sleep: async (ms) => clock.advance(ms),
    onUndelivered: (count) => undelivered.push(count),
    ...deps,
  })
  return { notify, letters, undelivered }
}

/**
 * As Lambda does it: batch after batch, again from the first failure, the whole batch after a
 * crash.
 */
export async function drain(
  notify: Notifier,
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

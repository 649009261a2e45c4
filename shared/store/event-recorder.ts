/**
 * Writes core/v1 Events, for `kubectl get events`. As client-go's recorder does: the same again is
 * counted and not written anew, and a source may say 25 things about one object at once and then one
 * every five minutes. There a queue of a thousand bounds the rest; here each source has a bucket,
 * and what does not fit is combined into one Event about the fleet.
 */
import { createHash } from 'node:crypto'
import { events as eventResource } from '../kube/event/resource.ts'
import { fingerprint } from '../kube/fnv.ts'
import type { Event } from '../kube/objects.ts'
import { type EventDraft, OUR_SOURCE, type TimedEvent } from '../lifecycle/events/core-events.ts'
import type { Store, StoredObject, WriteStep } from './ports.ts'

export interface EventRecorder {
  /** Recording the same change again counts nothing. Throws when the store fails. */
  record(event: TimedEvent): Promise<void>
  /** Writes what was combined since the last time. */
  flush(): Promise<void>
}

/** Lost races with other recorders of one Event; after these its count is one too low. */
const TRIES = 5
const FLEET = { apiVersion: 'leasehold.dev/v1', kind: 'Fleet', name: 'fleet' }

interface Combined {
  readonly last: TimedEvent
  readonly count: number
}

export function eventRecorder(store: Pick<Store, 'commit'>, clock: () => number): EventRecorder {
  const limits = eventLimits()
  const combined = new Map<string, Combined>()
  /** Admitted and not yet written: another try needs no other admission. */
  const admitted = new WeakSet<TimedEvent>()

  const admit = (event: TimedEvent) => {
    if (admitted.has(event)) return 'written'
    const verdict = limits.admit(event, clock())
    if (verdict === 'written') admitted.add(event)
    return verdict
  }

  const combine = (event: TimedEvent) => {
    const key = samenessOf(combination(event))
    combined.set(key, { last: event, count: (combined.get(key)?.count ?? 0) + 1 })
  }

  return {
    async record(event) {
      const verdict = admit(event)
      if (verdict === 'combined') combine(event)
      if (verdict !== 'written') return
      await write(store, clock, { event, sameness: samenessOf(event), more: 1 })
    },
    async flush() {
      for (const [sameness, { last, count }] of [...combined]) {
        const message = `(combined from similar events): ${last.message}`
        const { version, time } = last
        const event = { ...combination(last), message, version, time }
        await write(store, clock, { event, sameness, more: count, isSummary: true })
        combined.delete(sameness)
      }
    },
  }
}

/** One for each reason and kind of object. */
const combination = ({ type, reason, source, involvedObject: { kind } }: TimedEvent) => ({
  source: OUR_SOURCE,
  type,
  reason,
  message: `${source.component} ${kind}`,
  involvedObject: FLEET,
})

interface Recording {
  readonly event: TimedEvent
  readonly sameness: string
  readonly more: number
  /** Of many objects, which have no order among each other: always counted. */
  readonly isSummary?: boolean
}

async function write(
  store: Pick<Store, 'commit'>,
  clock: () => number,
  { event, sameness, more, isSummary = false }: Recording,
): Promise<void> {
  const first = firstEvent(event, sameness, more)
  let step = stepOf(first, clock)
  for (let tries = 0; tries < TRIES; tries += 1) {
    const commit = await store.commit([step])
    if (commit.kind === 'committed' || !commit.found) return
    const stored = commit.found.object as Event
    if (!isSummary && isCounted(stored, event)) return
    step = stepOf(countedAgain(stored, first, more), clock, commit.found)
  }
}

function stepOf(object: Event, clock: () => number, believed?: StoredObject): WriteStep {
  const fields = eventResource.selectable(object)
  const expiresAtMs = clock() + CORE_EVENT_KEPT_MS
  return believed
    ? { do: 'replaceObject', believed, object, fields, expiresAtMs }
    : { do: 'createObject', resource: eventResource.plural, object, fields, expiresAtMs }
}

// ---- the Event ----------------------------------------------------------------------------------

const CORE_EVENT_KEPT_MS = 60 * 60 * 1_000
/** The version of the last change that was counted: a change that is told twice counts once. */
const COUNTED = 'leasehold.dev/counted-version'
/** Leaves room for the suffix within what a path segment and a table key take. */
const MAX_NAME_LENGTH = 200

/**
 * As in client-go, the same Event again is counted and not written anew: its name follows from what
 * makes it the same.
 */
function firstEvent(event: TimedEvent, sameness: string, count = 1): Event {
  const { source, type, reason, message, involvedObject, version, time } = event
  const { name = '', namespace = 'default' } = involvedObject
  return eventResource.withDefaults({
    apiVersion: 'v1',
    kind: 'Event',
    metadata: {
      name: `${name.slice(0, MAX_NAME_LENGTH)}.${fingerprint(sameness)}${fingerprint(name)}`,
      // As in Kubernetes: Events about objects without a namespace are in `default`.
      namespace,
      uid: uidFrom(`${sameness} ${version}`),
      creationTimestamp: time,
      annotations: { [COUNTED]: String(version) },
    },
    involvedObject,
    type,
    reason,
    message,
    source,
    firstTimestamp: time,
    lastTimestamp: time,
    count,
    reportingComponent: source.component,
    reportingInstance: source.host ?? '',
  })
}

/** What tells Events apart in client-go too: source, object, type, reason and message. */
function samenessOf({ source, type, reason, message, involvedObject }: EventDraft): string {
  const { kind, namespace, name, uid } = involvedObject
  return JSON.stringify([source, kind, namespace, name, uid, type, reason, message])
}

const isCounted = (stored: Event, { version }: TimedEvent): boolean =>
  Number(stored.metadata.annotations?.[COUNTED]) >= version

/**
 * Only when it began and how often it was told are taken from what is stored, and those only if we
 * stored it: the name can be foreseen, so another may have written there first.
 */
function countedAgain({ metadata, firstTimestamp, count = 1 }: Event, now: Event, more: number) {
  const { uid, creationTimestamp } = metadata
  const isOurs = metadata.annotations?.[COUNTED] !== undefined
  return {
    ...now,
    metadata: { ...now.metadata, uid, creationTimestamp },
    ...(isOurs && { firstTimestamp, count: count + more }),
  }
}

/** A name-based uuid (version 8, RFC 9562), so that a repeat is the same object. */
function uidFrom(id: string): string {
  const hex = createHash('sha256').update(id).digest('hex')
  const variant = '89ab'[Number.parseInt(hex[16]!, 16) % 4]
  const groups = [hex.slice(0, 8), hex.slice(8, 12), `8${hex.slice(13, 16)}`]
  return [...groups, `${variant}${hex.slice(17, 20)}`, hex.slice(20, 32)].join('-')
}

// ---- limits -------------------------------------------------------------------------------------

interface Rate {
  readonly burst: number
  readonly everyMs: number
}

const OF_OBJECT: Rate = { burst: 25, everyMs: 300_000 }
const OF_SOURCE: Rate = { burst: 500, everyMs: 1_000 }
/** Objects remembered, as many as client-go does; the one that was silent longest is forgotten. */
const MAX_OBJECTS = 4_096

interface Bucket {
  tokens: number
  atMs: number
}

interface EventLimits {
  /** `dropped`: too many about this object. `combined`: too many of this source. */
  admit(event: TimedEvent, nowMs: number): 'written' | 'dropped' | 'combined'
}

function eventLimits(): EventLimits {
  const objects = new Map<string, Bucket>()
  const sources = new Map<string, Bucket>()

  const ofObject = (event: TimedEvent, nowMs: number): Bucket => {
    const { kind, namespace, name, uid } = event.involvedObject
    const key = JSON.stringify([event.source, kind, namespace, name, uid])
    const found = objects.get(key) ?? { tokens: OF_OBJECT.burst, atMs: nowMs }
    objects.delete(key)
    objects.set(key, found)
    const [oldest] = objects.keys()
    if (objects.size > MAX_OBJECTS && oldest !== undefined) objects.delete(oldest)
    return found
  }

  const ofSource = ({ source: { component } }: TimedEvent, nowMs: number): Bucket => {
    const found = sources.get(component) ?? { tokens: OF_SOURCE.burst, atMs: nowMs }
    sources.set(component, found)
    return found
  }

  return {
    admit(event, nowMs) {
      if (!take(ofObject(event, nowMs), OF_OBJECT, nowMs)) return 'dropped'
      return take(ofSource(event, nowMs), OF_SOURCE, nowMs) ? 'written' : 'combined'
    },
  }
}

function take(bucket: Bucket, { burst, everyMs }: Rate, nowMs: number): boolean {
  const accrued = Math.max(0, nowMs - bucket.atMs) / everyMs
  bucket.tokens = Math.min(burst, bucket.tokens + accrued)
  bucket.atMs = Math.max(bucket.atMs, nowMs)
  if (bucket.tokens < 1) return false
  bucket.tokens -= 1
  return true
}

/** Events, newest first, with those of one reason and kind that happened together as one entry. */
import type { Event } from '../../shared/kube/objects.ts'
import { parseTimeMs } from '../../shared/kube/time.ts'

export interface TimelineEntry {
  readonly id: string
  readonly reason: string
  readonly isWarning: boolean
  readonly atMs: number
  /** The involved objects, one per event, newest first. */
  readonly objects: readonly EventObject[]
  /** Of the latest event. */
  readonly message: string
}

export interface EventObject {
  readonly kind: string
  readonly namespace: string
  readonly name: string
}

/** How close to the entry's latest event another must be to join it. */
export const GROUP_WITHIN_MS = 60_000

export function timelineOf(events: Iterable<Event>, withinMs: number): readonly TimelineEntry[] {
  const entries: TimelineEntry[] = []
  /** Reason, type and kind -> the index of its latest entry. */
  const latest = new Map<string, number>()
  for (const event of [...events].sort((a, b) => atMsOf(b) - atMsOf(a))) {
    const key = `${event.reason}\n${event.type}\n${event.involvedObject.kind}`
    const at = latest.get(key)
    const last = at === undefined ? undefined : entries[at]
    if (last && last.atMs - atMsOf(event) < withinMs) {
      entries[at!] = { ...last, objects: [...last.objects, objectOf(event)] }
      continue
    }
    latest.set(key, entries.push(entryOf(event)) - 1)
  }
  return entries
}

function atMsOf({ eventTime, lastTimestamp, series, metadata }: Event): number {
  const text = series?.lastObservedTime ?? lastTimestamp ?? eventTime ?? metadata.creationTimestamp
  return parseTimeMs(text ?? '') ?? 0
}

const entryOf = (event: Event): TimelineEntry => ({
  id: event.metadata.uid ?? event.metadata.name ?? '',
  reason: event.reason ?? '',
  isWarning: event.type === 'Warning',
  atMs: atMsOf(event),
  objects: [objectOf(event)],
  message: event.message ?? '',
})

const objectOf = ({ involvedObject }: Event): EventObject => ({
  kind: involvedObject.kind ?? '',
  namespace: involvedObject.namespace ?? '',
  name: involvedObject.name ?? '',
})

/** Events as a story: newest first, and what happened to many at once told once. */
import type { Event } from '../../shared/kube/objects.ts'
import { parseTimeMs } from '../../shared/kube/time.ts'

export interface Chapter {
  readonly id: string
  readonly reason: string
  readonly isWarning: boolean
  readonly atMs: number
  /** Those it happened to, in the order of the first events; as often as it happened. */
  readonly about: readonly Subject[]
  /** Of the latest. */
  readonly message: string
}

export interface Subject {
  readonly kind: string
  readonly namespace: string
  readonly name: string
}

/** Things of a kind that are closer together than this are one thing; of one node each is told. */
export const TOGETHER_MS = 60_000

export function chaptersOf(events: Iterable<Event>, togetherMs: number): readonly Chapter[] {
  const chapters: Chapter[] = []
  /** Reason and kind -> where its latest chapter stands. */
  const latest = new Map<string, number>()
  for (const event of [...events].sort((a, b) => atMsOf(b) - atMsOf(a))) {
    const key = `${event.reason}\n${event.type}\n${event.involvedObject.kind}`
    const at = latest.get(key)
    const last = at === undefined ? undefined : chapters[at]
    if (last && last.atMs - atMsOf(event) < togetherMs) {
      chapters[at!] = { ...last, about: [...last.about, subjectOf(event)] }
      continue
    }
    latest.set(key, chapters.push(chapterOf(event)) - 1)
  }
  return chapters
}

export function atMsOf({ eventTime, lastTimestamp, series, metadata }: Event): number {
  const text = series?.lastObservedTime ?? lastTimestamp ?? eventTime ?? metadata.creationTimestamp
  return parseTimeMs(text ?? '') ?? 0
}

const chapterOf = (event: Event): Chapter => ({
  id: event.metadata.uid ?? event.metadata.name ?? '',
  reason: event.reason ?? '',
  isWarning: event.type === 'Warning',
  atMs: atMsOf(event),
  about: [subjectOf(event)],
  message: event.message ?? '',
})

const subjectOf = ({ involvedObject }: Event): Subject => ({
  kind: involvedObject.kind ?? '',
  namespace: involvedObject.namespace ?? '',
  name: involvedObject.name ?? '',
})

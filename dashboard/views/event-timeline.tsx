/** Events, newest first; what happened to many objects at once is one line. */
import { useMemo } from 'preact/hooks'
import type { Event } from '../../shared/kube/objects.ts'
import { NodeLink, ZoneLink } from '../page/link.tsx'
import { useNow } from '../page/use-now.ts'
import type { WatchedList } from '../page/use-watch.ts'
import {
  type EventObject,
  GROUP_WITHIN_MS,
  type TimelineEntry,
  timelineOf,
} from '../state/event-timeline.ts'
import { ago, amount, clock } from '../state/format.ts'

interface EventTimelineProps {
  readonly title: string
  readonly events: WatchedList<Event>
  /** All are about one object: each is shown, without its name. */
  readonly isOneObject?: boolean
}

const MOST_ENTRIES = 200
const MOST_NAMED = 4

export function EventTimeline({ title, events, isOneObject = false }: EventTimelineProps) {
  const entries = useMemo(
    () => timelineOf(events.items.values(), isOneObject ? 0 : GROUP_WITHIN_MS),
    [events.items, isOneObject],
  )
  const nowMs = useNow()
  return (
    <section class="panel timeline">
      <h2>{title}</h2>
      {events.refused && <p class="refusal">{events.refused}</p>}
      {events.isLoaded && entries.length === 0 && (
        <p class="dim">Nothing in the last hour; older events are not kept.</p>
      )}
      {events.isPartial && <p class="dim">There are too many to list; these are some of them.</p>}
      <ol>
        {entries.slice(0, MOST_ENTRIES).map((entry) => (
          <li key={entry.id} class={entry.isWarning ? 'warning' : ''}>
            <time title={clock(entry.atMs, nowMs)}>{ago(entry.atMs, nowMs)}</time>
            <div>
              <b>{entry.reason}</b> {!isOneObject && <ObjectNames entry={entry} />}
              {entry.objects.length === 1 && <div class="dim">{entry.message}</div>}
            </div>
          </li>
        ))}
      </ol>
    </section>
  )
}

function ObjectNames({ entry: { objects } }: { readonly entry: TimelineEntry }) {
  const distinct = [...new Map(objects.map((object) => [nameOf(object), object])).values()]
  const more = distinct.length - MOST_NAMED
  return (
    <span>
      {distinct.slice(0, MOST_NAMED).map((object, at) => (
        <span key={nameOf(object)}>
          {at > 0 && ', '}
          <ObjectLink object={object} />
        </span>
      ))}
      {more > 0 && ` and ${amount(more, 'other')}`}
    </span>
  )
}

function ObjectLink({ object }: { readonly object: EventObject }) {
  const { kind, name } = object
  if (kind === 'Node') return <NodeLink name={name} />
  if (kind !== 'Zone') return <>{nameOf(object)}</>
  return <ZoneLink name={name} title={name} />
}

const nameOf = ({ namespace, name }: EventObject) =>
  namespace && namespace !== 'default' ? `${namespace}/${name}` : name

/** Events as they happened, newest first; what happened to many at once is one line. */
import { useMemo } from 'preact/hooks'
import type { Event } from '../../shared/kube/objects.ts'
import { Link, NodeLink } from '../page/link.tsx'
import type { Followed } from '../page/use-followed.ts'
import { useNow } from '../page/use-now.ts'
import { noFilter } from '../state/place.ts'
import { type Chapter, chaptersOf, type Subject, TOGETHER_MS } from '../state/story.ts'
import { ago, amount, clock } from '../state/words.ts'

interface StoryProps {
  readonly title: string
  readonly events: Followed<Event>
  /** Then its name need not be said with each. */
  readonly isAboutOne?: boolean
}

const MOST_CHAPTERS = 200
const MOST_NAMED = 4

export function Story({ title, events, isAboutOne = false }: StoryProps) {
  const chapters = useMemo(
    () => chaptersOf(events.items.values(), isAboutOne ? 0 : TOGETHER_MS),
    [events.items, isAboutOne],
  )
  const nowMs = useNow()
  return (
    <section class="panel story">
      <h2>{title}</h2>
      {events.refused && <p class="refusal">{events.refused}</p>}
      {events.isLoaded && chapters.length === 0 && (
        <p class="dim">Nothing in the last hour; older events are not kept.</p>
      )}
      {events.isPartial && <p class="dim">There are too many to list; these are some of them.</p>}
      <ol>
        {chapters.slice(0, MOST_CHAPTERS).map((chapter) => (
          <li key={chapter.id} class={chapter.isWarning ? 'warning' : ''}>
            <time title={clock(chapter.atMs, nowMs)}>{ago(chapter.atMs, nowMs)}</time>
            <div>
              <b>{chapter.reason}</b> {!isAboutOne && <About chapter={chapter} />}
              {chapter.about.length === 1 && <div class="dim">{chapter.message}</div>}
            </div>
          </li>
        ))}
      </ol>
    </section>
  )
}

function About({ chapter: { about } }: { readonly chapter: Chapter }) {
  const distinct = [...new Map(about.map((subject) => [nameOf(subject), subject])).values()]
  const more = distinct.length - MOST_NAMED
  return (
    <span>
      {distinct.slice(0, MOST_NAMED).map((subject, at) => (
        <span key={nameOf(subject)}>
          {at > 0 && ', '}
          <SubjectName subject={subject} />
        </span>
      ))}
      {more > 0 && ` and ${amount(more, 'other')}`}
    </span>
  )
}

function SubjectName({ subject }: { readonly subject: Subject }) {
  const { kind, name } = subject
  if (kind === 'Node') return <NodeLink name={name} />
  if (kind !== 'Zone') return <>{nameOf(subject)}</>
  return <Link to={{ view: 'fleet', filter: { ...noFilter, zone: name } }}>{name}</Link>
}

const nameOf = ({ namespace, name }: Subject) =>
  namespace && namespace !== 'default' ? `${namespace}/${name}` : name

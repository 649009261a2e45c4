/** Where do events go? To EventBridge in AWS, to the terminal at home; the notifier cannot tell. */
import type { DomainEvent } from '../../shared/lifecycle/announce/domain-event.ts'

export interface Bus {
  /** One verdict per event, in their order. Does not throw: a bus that is down says `again`. */
  publish(events: readonly DomainEvent[]): Promise<readonly Verdict[]>
}

export type Verdict =
  | { readonly kind: 'delivered' }
  /** Not now: throttled, broken, unreachable. */
  | { readonly kind: 'again'; readonly why: string }
  /** Not ever: it is the event itself that the bus will not have. */
  | { readonly kind: 'refused'; readonly why: string }

export const delivered: Verdict = { kind: 'delivered' }

/** Local mode: one line per event, for people. */
export function printedBus(print: (line: string) => void): Bus {
  return {
    async publish(events) {
      for (const event of events) print(lineOf(event))
      return events.map(() => delivered)
    },
  }
}

function lineOf({ 'detail-type': type, detail }: DomainEvent): string {
  const { object, zone, time, reason, change } = detail
  const name = object.namespace ? `${object.namespace}/${object.name}` : object.name
  const place = zone && object.kind === 'Node' ? ` in ${zone}` : ''
  const why = reason ? ` (${reason})` : ''
  return `${time.slice(11, 23)} ${type} ${name}${place}${why} ${JSON.stringify(change)}`
}

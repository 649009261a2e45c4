/** Where do events go? To EventBridge in AWS, to the terminal in local mode. */
import type { DomainEvent } from '../../shared/lifecycle/events/domain-event.ts'

export interface EventBus {
  /** One result per event, in their order. Does not throw: a bus that is down says `again`. */
  publish(events: readonly DomainEvent[]): Promise<readonly PublishResult[]>
}

export type PublishResult =
  | { readonly kind: 'delivered' }
  /** Not now: throttled, broken, unreachable. */
  | { readonly kind: 'again'; readonly why: string }
  /** Never: the event itself is wrong. */
  | { readonly kind: 'refused'; readonly why: string }

export const delivered: PublishResult = { kind: 'delivered' }

/** Local mode: one readable line per event. */
export function printedEventBus(print: (line: string) => void): EventBus {
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

/** Writes what happened into the Objects table as a core/v1 Event, for `kubectl get events`. */

import { events } from '../../shared/kube/resources/events.ts'
import { CORE_EVENT_KEPT_MS, coreEvent } from '../../shared/lifecycle/announce/core-event.ts'
import type { DomainEvent } from '../../shared/lifecycle/announce/domain-event.ts'
import type { Store } from '../../shared/store/ports.ts'

export interface Diary {
  /** Writing the same again changes nothing. */
  write(event: DomainEvent): Promise<void>
}

export function storedDiary(store: Pick<Store, 'commit'>, clock: () => number): Diary {
  return {
    async write(event) {
      const object = coreEvent(event)
      const fields = events.selectable(object)
      const expiresAtMs = clock() + CORE_EVENT_KEPT_MS
      // Outrun means that it is there already.
      await store.commit([
        { do: 'createObject', resource: events.plural, object, fields, expiresAtMs },
      ])
    },
  }
}

/** Events about the Node that only the host can know, such as a reboot. */
import type { Event, Node } from '../../shared/kube/objects.ts'
import { formatTime } from '../../shared/kube/time.ts'
import type { ServiceClient } from '../client.ts'

export interface NodeEvent {
  readonly type: 'Normal' | 'Warning'
  readonly reason: string
  readonly message: string
}

/** Only warnings are sent: the service writes Events for changed conditions itself. */
export function postEvent(
  client: ServiceClient,
  event: NodeEvent,
  node: Node,
  nowMs: number,
): void {
  if (event.type !== 'Warning') return
  // Not awaited and not retried: an Event must not delay the status.
  void client.send({
    method: 'POST',
    path: '/api/v1/namespaces/default/events',
    body: toEvent(event, node, nowMs),
  })
}

function toEvent({ type, reason, message }: NodeEvent, node: Node, nowMs: number): Event {
  const { name = '', uid } = node.metadata
  const time = formatTime(nowMs)
  return {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { namespace: 'default', generateName: `${name.slice(0, 50)}.` },
    involvedObject: { apiVersion: 'v1', kind: 'Node', name, uid },
    type,
    reason,
    message,
    source: { component: 'leasehold-agent', host: name },
    firstTimestamp: time,
    lastTimestamp: time,
    count: 1,
  }
}

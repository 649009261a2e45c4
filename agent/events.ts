/**
 * Tells what only the host can know. What its conditions say already, the service announces itself.
 */
import type { Event, Node } from '../shared/kube/objects.ts'
import { formatTime } from '../shared/kube/time.ts'
import type { Client } from './client.ts'
import type { NodeEvent } from './setters/conditions.ts'

export function postEvent(client: Client, event: NodeEvent, node: Node, nowMs: number): void {
  if (event.type !== 'Warning') return
  // Not waited for: an event is worth one try, and no delay.
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

/** Is this write of a node a sign of life? Then the moment it arrived is kept, by our clock. */
import type { KubeObject, Node } from '../../../shared/kube/objects.ts'
import type { StoredObject } from '../../../shared/store/ports.ts'

/** When the last status beat arrived, this write included. */
export function receivedAtMs(
  next: KubeObject,
  old: StoredObject | undefined,
  nowMs: number,
): number | undefined {
  return isBeat(next as Node, old?.object as Node | undefined) ? nowMs : old?.receivedAtMs
}

/**
 * Any heartbeat time that differs counts, backwards too: the sender's clock is shown, never
 * believed.
 */
function isBeat(next: Node, old: Node | undefined): boolean {
  const before = heartbeats(old)
  for (const [type, time] of heartbeats(next)) if (before.get(type) !== time) return true
  return false
}

function heartbeats(node: Node | undefined): Map<string, string> {
  const times = new Map<string, string>()
  for (const { type, lastHeartbeatTime } of node?.status?.conditions ?? []) {
    if (lastHeartbeatTime) times.set(type, lastHeartbeatTime)
  }
  return times
}

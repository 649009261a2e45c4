/** Is this write of a Node a heartbeat? Then the time it arrived is stored, by our clock. */
import type { KubeObject, Node } from '../../../shared/kube/objects.ts'
import { readyOf } from '../../../shared/lifecycle/liveness/health.ts'
import type { StoredObject } from '../../../shared/store/ports.ts'

/** When the last status heartbeat arrived, this write included. */
export function receivedAtMs(
  next: KubeObject,
  old: StoredObject | undefined,
  nowMs: number,
): number | undefined {
  return isHeartbeat(next as Node, old?.object as Node | undefined) ? nowMs : old?.receivedAtMs
}

/**
 * Any lastHeartbeatTime that differs counts, an earlier one too: the sender's clock is never
 * compared with ours. Only that of Ready, which the host's agent alone reports: a network plug-in
 * or a problem detector that goes on writing its own condition must not keep a dead host alive.
 */
function isHeartbeat(next: Node, old: Node | undefined): boolean {
  const ready = readyOf(next)
  if (!ready) return false
  const before = old && readyOf(old)
  return !before || (ready.lastHeartbeatTime ?? '') !== (before.lastHeartbeatTime ?? '')
}

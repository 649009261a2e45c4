/** Is this write of a node a sign of life? Then the moment it arrived is kept, by our clock. */
import type { KubeObject, Node } from '../../../shared/kube/objects.ts'
import { readyOf } from '../../../shared/lifecycle/conditions.ts'
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
 * believed. Only that of Ready, which the host's agent alone reports: a network plug-in or a
 * problem detector that goes on writing its own condition must not keep a dead host alive.
 */
function isBeat(next: Node, old: Node | undefined): boolean {
  const ready = readyOf(next)
  if (!ready) return false
  const before = old && readyOf(old)
  return !before || (ready.lastHeartbeatTime ?? '') !== (before.lastHeartbeatTime ?? '')
}

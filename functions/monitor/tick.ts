/** One tick: read, decide, apply. */
import type { Node } from '../../shared/kube/objects.ts'
import { decide } from '../../shared/lifecycle/decide.ts'
import { podsOwed } from '../../shared/lifecycle/eviction/pod-decisions.ts'
import type { Decision, KnownPod, World } from '../../shared/lifecycle/world.ts'
import { keyText } from '../../shared/store/object-state.ts'
import type { StoredObject } from '../../shared/store/ports.ts'
import { apply } from './apply/apply.ts'
import { type ActionCounts, applyContext } from './apply/context.ts'
import { removeEndedPods } from './apply/pods.ts'
import { assembleWorld, readInputs } from './read/world.ts'
import type { MonitorSession } from './session.ts'
import { readState, type StoredState } from './stored-state/stored-state.ts'
import { writePauses } from './stored-state/write.ts'

export interface TickReport {
  readonly nowMs: number
  readonly world: World
  readonly decision: Decision
  readonly state: StoredState
  readonly actionCounts: ActionCounts
  /** Nodes to be judged again at once: another writer was faster than their mark. */
  readonly outrunMarks: ReadonlySet<string>
  /** Stored records that could not be read and were left out. */
  readonly poisoned: number
  readonly tookMs: number
}

export async function tick(session: MonitorSession): Promise<TickReport> {
  const { clock, settings } = session.deps
  // Before anything is read: a beat that arrives meanwhile can only help its host.
  const nowMs = clock()
  const inputs = await readInputs(session, nowMs)
  const state = await readState(session)
  const context = applyContext(session, state, nowMs)
  await writePauses(context, inputs.visibility)

  const bound = session.podsByNode.bound().length
  const world = assembleWorld(session, inputs, state, nowMs)
  const decision = decide(world, nowMs, settings)
  session.fleetSummary = { ...session.fleetSummary, counts: decision.counts }
  await apply(context, decision.actions)
  await removeEndedPods(context)
  session.podsByNode.forgetBound(bound)
  session.podsByNode.owe(podsOwed(decision.actions, nowIn(session)))
  remember(session, state)
  const { actionCounts, outrunMarks } = context
  const did = { actionCounts, outrunMarks, poisoned: inputs.poisoned, tookMs: clock() - nowMs }
  return { nowMs, world, decision, state, ...did }
}

/**
 * Reads and decides as a tick does and applies nothing: lists are read, code is compiled and
 * connections are open before the first tick that counts.
 */
export async function rehearseTick(session: MonitorSession): Promise<void> {
  const { clock, settings } = session.deps
  const nowMs = clock()
  const inputs = await readInputs(session, nowMs)
  decide(assembleWorld(session, inputs, await readState(session), nowMs), nowMs, settings)
}

const nowIn = ({ nodes, pods }: MonitorSession) => ({
  node: (name: string) => nodes.objects.get(`/${name}`)?.object as Node | undefined,
  pod: ({ key }: KnownPod) => pods.objects.get(keyText(key)) as KnownPod | undefined,
})

function remember(session: MonitorSession, state: StoredState): void {
  session.knownZones = [...state.zones.values()].map(({ key }) => key)
  const { objects } = session.nodes
  if (isSame(session.knownNodes, objects)) return
  session.knownNodes = new Map([...objects.values()].map(({ key, uid }) => [key.name, uid]))
}

function isSame(
  knownNodes: ReadonlyMap<string, string> | undefined,
  nodes: ReadonlyMap<string, StoredObject>,
): boolean {
  if (knownNodes?.size !== nodes.size) return false
  return nodes.values().every(({ key, uid }) => knownNodes.get(key.name) === uid)
}

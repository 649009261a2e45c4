/**
 * The smallest world that can apply decisions. It stamps beats by its own clock, as the service
 * does: a lease whose renewTime differs, a status whose heartbeat differs.
 */
import { expect } from 'vitest'
import type { ConditionStatus, Node, Pod } from '../../../shared/kube/objects.ts'
import { decide } from '../../../shared/lifecycle/decide.ts'
import { coreEvents, type EventDraft } from '../../../shared/lifecycle/events/core-events.ts'
import { podsOwed } from '../../../shared/lifecycle/eviction/pod-decisions.ts'
import { readyOf } from '../../../shared/lifecycle/liveness/health.ts'
import { isBeat } from '../../../shared/lifecycle/liveness/holder.ts'
import type { Settings } from '../../../shared/lifecycle/settings.ts'
import type {
  Action,
  Beat,
  Decision,
  FleetChange,
  FleetRecord,
  Known,
  KnownNode,
  KnownPod,
  PodChange,
  Recorded,
  World,
  ZoneChange,
  ZoneRecord,
} from '../../../shared/lifecycle/world.ts'
import { type Scenario, settingsOf, T0_MS, type VectorLease } from './vector-shapes.ts'

/** The store tries again by itself before it gives a failed write up. */
const STORE_ATTEMPTS = 12

export class Stage {
  readonly settings: Settings
  nowMs = T0_MS
  readonly nodes = new Map<string, KnownNode>()
  readonly beats = new Map<string, Beat & { renewTime?: number | null; isLive: boolean }>()
  readonly pods = new Map<string, KnownPod>()
  readonly zones = new Map<string, Recorded<ZoneRecord>>()
  fleet: Recorded<FleetRecord> | undefined
  knownNodes: ReadonlyMap<string, string> | undefined
  readonly events: EventDraft[] = []
  waiting = new Map<string, readonly string[]>()
  owed: readonly KnownPod[] = []
  statusWrites = 0
  podStatusWrites = 0
  readonly failing = { nodeStatus: 0, podStatus: 0, podList: 0 }
  #version = 0

  constructor({ config, pods }: Pick<Scenario, 'config' | 'pods'>) {
    this.settings = settingsOf(config)
    for (const { name, namespace, node, ready } of pods) {
      const conditions = ready ? [{ type: 'Ready', status: ready as ConditionStatus }] : []
      const object: Pod = {
        metadata: { name, namespace, uid: `uid-${name}` },
        spec: { nodeName: node },
        status: { conditions },
      }
      this.pods.set(name, this.known('pods', object))
    }
  }

  known<T extends Node | Pod>(resource: string, object: T, receivedAtMs?: number): Known<T> {
    const { name = '', namespace = '', uid = '' } = object.metadata
    const received = receivedAtMs !== undefined && { receivedAtMs }
    return {
      resource,
      key: { namespace, name },
      uid,
      version: ++this.#version,
      object,
      ...received,
    }
  }

  /** A write as the api does it: a status whose heartbeat differs is a beat. */
  putNode(object: Node): void {
    const name = object.metadata.name ?? ''
    const before = this.nodes.get(name)
    const same = before?.uid === object.metadata.uid ? before : undefined
    const earlier = same && heartbeat(same.object)
    const isBeat = heartbeat(object) !== undefined && heartbeat(object) !== earlier
    const receivedAtMs = isBeat ? this.nowMs : same?.receivedAtMs
    const after = this.known('nodes', object, receivedAtMs)
    this.nodes.set(name, after)
    if (!same) this.events.push(...coreEvents({ kind: 'object', after }, []))
  }

  /**
   * Reads here are consistent, so once a step says what the api has, what a cache shows no longer
   * matters.
   */
  setLease(lease: VectorLease, isLive: boolean): void {
    const { node } = lease
    const before = this.beats.get(node)
    if (before?.isLive && !isLive) return
    const receivedAtMs = receivedLeaseAtMs(before, lease, this.nowMs)
    const version = ++this.#version
    const { renewTime } = lease
    this.beats.set(node, {
      ...{ name: node, version, holderIdentity: node, renewTime, isLive },
      receivedAtMs,
    })
  }

  world(boundPods: readonly KnownPod[] = []): World {
    const podsByNode = Map.groupBy(this.pods.values(), (pod) => pod.object.spec?.nodeName ?? '')
    const memory = {
      ...(this.fleet && { fleet: this.fleet }),
      ...(this.knownNodes && { knownNodes: this.knownNodes }),
    }
    return {
      nodes: this.nodes,
      beats: this.beats,
      podsByNode,
      boundPods,
      zones: this.zones,
      visibility: { kind: 'clear' },
      ...memory,
    }
  }

  /** One tick without its first taints, which Kubernetes leaves to a loop of its own. */
  monitor(): void {
    if (this.failing.podList > 0) {
      // Nodes and pods are read as a whole: without them there is no tick.
      this.failing.podList--
      return
    }
    const decision = decide(this.world(this.owed), this.nowMs, this.settings)
    for (const action of decision.actions) {
      if (action.do !== 'taintNoExecute') this.apply(action)
    }
    this.owed = podsOwed(decision.actions, {
      node: (name) => this.nodes.get(name)?.object,
      pod: ({ key }) => this.pods.get(key.name),
    })
    this.knownNodes = new Map([...this.nodes.values()].map(({ key, uid }) => [key.name, uid]))
    this.noteWaiting(decision)
  }

  /**
   * Real time passes while the loop runs: a few milliseconds at a time, until nobody is tainted any
   * more.
   */
  taintPass(): void {
    for (let idle = 0; idle < 5; this.nowMs++) {
      const decision = decide(this.world(), this.nowMs, this.settings)
      const taints = decision.actions.filter(({ do: what }) => what === 'taintNoExecute')
      for (const action of decision.actions) if (isReaction(action)) this.apply(action)
      idle = taints.length > 0 ? 0 : idle + 1
      this.noteWaiting(decision, taints.length > 0)
    }
  }

  noteWaiting(decision: Decision, again = false): void {
    const now = again ? decide(this.world(), this.nowMs, this.settings) : decision
    this.waiting = new Map(now.zones.map(({ key, waiting }) => [key, waiting]))
    // Taints are stripped in this tick, and with them everybody's place in the queue.
    if (decision.actions.some(({ do: what }) => what === 'enterDisruption')) this.waiting.clear()
  }

  apply(action: Action): void {
    if (action.do === 'markUnknown') this.mark(action)
    if (action.do === 'updateNode') this.replace(action.node, action.next)
    if (action.do === 'taintNoExecute') {
      this.replace(action.node, action.next)
      this.putZone(action.zone)
    }
    if (action.do === 'zoneChanged') this.putZone(action.zone)
    if (action.do === 'dropZone') this.zones.delete(action.key)
    if (action.do === 'enterDisruption' || action.do === 'leaveDisruption') {
      for (const zone of action.zones) this.putZone(zone)
      this.putFleet(action.fleet)
    }
    if (action.do === 'changeFleet') this.putFleet(action.fleet)
    if (action.do === 'markPodsNotReady') this.markPods(action)
  }

  mark({ node, next, emits }: Extract<Action, { do: 'markUnknown' }>): void {
    for (let tries = 1; tries <= STORE_ATTEMPTS; tries++) {
      this.statusWrites++
      if (this.failing.nodeStatus-- > 0) continue
      this.replace(node, next)
      this.events.push(
        ...coreEvents(
          { kind: 'object', before: node, after: this.nodes.get(node.key.name)!, emits },
          [],
        ),
      )
      return
    }
  }

  markPods(action: Extract<Action, { do: 'markPodsNotReady' }>): void {
    const node = this.nodes.get(action.node)
    if (action.onlyIfMarked && readyOf(node!.object)?.status !== 'Unknown') return
    for (const change of action.pods) {
      this.podStatusWrites++
      this.events.push(
        ...coreEvents(
          { kind: 'object', before: change.pod, after: change.pod, emits: change.emits },
          [],
        ),
      )
      if (this.failing.podStatus > 0) this.failing.podStatus--
      else this.putPod(change)
    }
  }

  putPod({ next }: PodChange): void {
    this.pods.set(next.metadata.name ?? '', this.known('pods', next))
  }

  replace(node: KnownNode, next: Node): void {
    const found = this.nodes.get(node.key.name)
    expect(found?.version, 'the version the action believed').toBe(node.version)
    this.nodes.set(node.key.name, this.known('nodes', next, node.receivedAtMs))
  }

  putFleet({ next }: FleetChange): void {
    this.fleet = { version: ++this.#version, value: next }
  }

  putZone({ key, next }: ZoneChange): void {
    this.zones.set(key, { version: ++this.#version, value: next })
  }

  bind(pod: KnownPod): void {
    const { actions } = decide(this.world([pod]), this.nowMs, this.settings)
    for (const action of actions) if (action.do === 'markPodsNotReady') this.apply(action)
  }
}

/**
 * What Kubernetes does outside its passes: first taints, and NoSchedule taints when a node changes.
 */
function isReaction(action: Action): boolean {
  if (action.do === 'updateNode') return action.why.every((why) => why === 'noSchedule')
  return action.do === 'taintNoExecute'
}

/** When the api would have stamped this lease: its first write is a beat, and so it says later. */
export function receivedLeaseAtMs(
  before: { readonly renewTime?: number | null; readonly receivedAtMs?: number } | undefined,
  { node, renewTime }: VectorLease,
  nowMs: number,
): number {
  const wire = (time: number | null | undefined) => time?.toString()
  const wanted = { holderIdentity: node, renewTime: wire(renewTime) }
  if (!before || isBeat(wire(before.renewTime), wanted)) return nowMs
  return before.receivedAtMs ?? nowMs
}

const heartbeat = (node: Node) => readyOf(node)?.lastHeartbeatTime

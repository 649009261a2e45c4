/** A fleet in the memory store on a clock that moves when told, with the verbs a story needs. */

import { type Chores, openChores } from '../../../functions/monitor/chores/chores.ts'
import type { MonitorDeps, MonitorLog } from '../../../functions/monitor/deps.ts'
import type { MonitorSession } from '../../../functions/monitor/session.ts'
import { openSession } from '../../../functions/monitor/session.ts'
import { fleetKey } from '../../../functions/monitor/stored-state/objects.ts'
import { type TickReport, tick } from '../../../functions/monitor/tick.ts'
import type { Fleet, FleetStatus } from '../../../shared/kube/fleet/resource.ts'
import { nodes as nodeResource } from '../../../shared/kube/node/resource.ts'
import type { Node, Pod } from '../../../shared/kube/objects.ts'
import { pods as podResource } from '../../../shared/kube/pod/resource.ts'
import { formatMicroTime, formatTime } from '../../../shared/kube/time.ts'
import type { Zone, ZoneStatus } from '../../../shared/kube/zone/resource.ts'
import { defaultSettings, type Settings } from '../../../shared/lifecycle/settings.ts'
import { memoryStore } from '../../../shared/store/memory/store.ts'
import type { Store, StoredObject, WriteStep } from '../../../shared/store/ports.ts'
import {
  defaultTolerations,
  nodeLease,
  nodeName,
  readyNode,
  runningPod,
} from '../../builders/objects.ts'

export const T0 = Date.UTC(2026, 0, 1)

export interface FleetOptions {
  readonly settings?: Partial<Settings>
  readonly deps?: Partial<MonitorDeps>
  /** Another memory than a fresh one. */
  readonly store?: (clock: () => number) => Store
}

export class SmallFleet {
  nowMs = T0
  clock = () => this.nowMs
  readonly store: Store
  readonly settings: Settings
  readonly deps: MonitorDeps
  readonly logs: MonitorLog[] = []
  readonly names: string[] = []
  session: MonitorSession
  chores: Chores
  #uids = 0

  constructor({ settings, deps, store }: FleetOptions = {}) {
    this.settings = { ...defaultSettings, ...settings }
    this.store = store ? store(this.clock) : memoryStore({ clock: this.clock })
    this.deps = {
      store: this.store,
      settings: this.settings,
      clock: this.clock,
      sleep: async (ms) => {
        this.nowMs += ms
      },
      random: () => 0.5,
      uuid: () => this.uid(),
      log: (entry) => this.logs.push(entry),
      ...deps,
    }
    this.session = openSession(this.deps)
    this.chores = openChores(this.session)
  }

  uid = () => `uid-${++this.#uids}`

  async must(steps: readonly WriteStep[]): Promise<void> {
    const commit = await this.store.commit(steps)
    if (commit.kind !== 'committed') throw new Error(`the test's own write was ${commit.kind}`)
  }

  /** Ready, with a lease that was renewed just now. */
  async addNode(name: string, zone = 'a', more: Partial<Node['metadata']> = {}): Promise<void> {
    const object = this.nodeObject(name, zone, more)
    const fields = nodeResource.selectable(object)
    const receivedAtMs = this.nowMs
    await this.must([{ do: 'createObject', resource: 'nodes', object, fields, receivedAtMs }])
    await this.addLease(name, object.metadata.uid!)
    this.names.push(name)
  }

  async addNodes(count: number, zones: readonly string[], from = 0): Promise<void> {
    for (let at = from; at < from + count; at += 1) {
      await this.addNode(nodeName(at), zones[at % zones.length])
    }
  }

  nodeObject = (name: string, zone: string, metadata: Partial<Node['metadata']> = {}): Node =>
    readyNode(name, { nowMs: this.nowMs, uid: this.uid(), zone, metadata })

  async addLease(name: string, ownerUid: string): Promise<void> {
    const written = { uid: this.uid(), ownerUid, renewTime: this.renewTime() }
    const outcome = await this.store.leases.create(nodeLease(name, written))
    if (outcome.kind !== 'created') throw new Error(`the lease was ${outcome.kind}`)
  }

  #beats = 0
  renewTime = () => formatMicroTime(this.nowMs * 1_000 + (this.#beats++ % 1_000))

  async beat(...names: readonly string[]): Promise<void> {
    for (const name of names) {
      const key = { namespace: 'kube-node-lease', name }
      await this.store.leases.renew({ key, spec: { renewTime: this.renewTime() } })
    }
  }

  /** The host reports that it is well, as an agent does when it was declared Unknown. */
  async report(name: string, status: 'True' | 'False' = 'True'): Promise<void> {
    const believed = (await this.node(name))!
    const node = believed.object as Node
    const now = formatTime(this.nowMs)
    const others = (node.status?.conditions ?? []).filter(({ type }) => type !== 'Ready')
    const ready = { type: 'Ready', status, lastHeartbeatTime: now, lastTransitionTime: now }
    const object = { ...node, status: { ...node.status, conditions: [ready, ...others] } }
    const fields = nodeResource.selectable(object)
    const receivedAtMs = this.nowMs
    await this.must([{ do: 'replaceObject', believed, object, fields, receivedAtMs }])
  }

  async addPod(name: string, nodeName: string, more: Partial<Pod['spec']> = {}): Promise<void> {
    const pod = runningPod(name, nodeName, { nowMs: this.nowMs, uid: this.uid() })
    const tolerations = defaultTolerations(300)
    const object: Pod = { ...pod, spec: { ...pod.spec, tolerations, ...more } }
    const fields = podResource.selectable(object)
    await this.must([{ do: 'createObject', resource: 'pods', object, fields }])
  }

  async patchPod(name: string, metadata: Pod['metadata']): Promise<void> {
    const believed = (await this.pod(name))!
    const object = { ...believed.object, metadata: { ...believed.object.metadata, ...metadata } }
    await this.must([{ do: 'replaceObject', believed, object, fields: believed.fields }])
  }

  async annotate(resource: string, name: string, annotations: Record<string, string>) {
    const believed = (await this.store.objects.get(resource, { namespace: '', name }))!
    const { object, fields, receivedAtMs } = believed
    const next = { ...object, metadata: { ...object.metadata, annotations } }
    const beat = receivedAtMs !== undefined && { receivedAtMs }
    await this.must([{ do: 'replaceObject', believed, object: next, fields, ...beat }])
  }

  node = (name: string): Promise<StoredObject | undefined> =>
    this.store.objects.get('nodes', { namespace: '', name })

  pod = (name: string): Promise<StoredObject | undefined> =>
    this.store.objects.get('pods', { namespace: 'default', name })

  zoneStatus = async (name: string): Promise<ZoneStatus | undefined> =>
    ((await this.store.objects.get('zones', { namespace: '', name }))?.object as Zone | undefined)
      ?.status

  fleetStatus = async (): Promise<FleetStatus | undefined> =>
    ((await this.store.objects.get('fleets', fleetKey))?.object as Fleet | undefined)?.status

  async tick(): Promise<TickReport> {
    const report = await tick(this.session)
    await this.chores.afterTick(report)
    return report
  }

  /** Ticks for so long; the named nodes beat before each tick. */
  async run(ms: number, alive: readonly string[] = []): Promise<void> {
    const endMs = this.nowMs + ms
    while (this.nowMs < endMs) {
      await this.beat(...alive)
      await this.tick()
      this.nowMs += this.settings.nodeMonitorPeriodMs
    }
  }

  restart(): void {
    this.session = openSession(this.deps)
    this.chores = openChores(this.session)
  }

  async readyOf(name: string) {
    const node = (await this.node(name))?.object as Node | undefined
    return node?.status?.conditions?.find(({ type }) => type === 'Ready')
  }

  /** `key:Effect`, in order. */
  async taintsOf(name: string): Promise<string[]> {
    const node = (await this.node(name))?.object as Node | undefined
    return (node?.spec?.taints ?? []).map(({ key, effect }) => `${key.split('/')[1]}:${effect}`)
  }

  async evicting(): Promise<string[]> {
    const { items } = await this.store.objects.list('nodes', {})
    const isOut = ({ object }: StoredObject) =>
      (object as Node).spec?.taints?.some(({ effect }) => effect === 'NoExecute')
    return items.filter(isOut).map(({ key }) => key.name)
  }
}

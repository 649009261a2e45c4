/** Hosts and pods in the memory store, and the monitor's own ticks and deadlines between them. */
import { workDeadlines } from '../../../../functions/monitor/deadlines.ts'
import { tick } from '../../../../functions/monitor/tick.ts'
import { nodes as nodeResource } from '../../../../shared/kube/node/resource.ts'
import type { Node, Pod, Taint, Toleration } from '../../../../shared/kube/objects.ts'
import { pods as podResource } from '../../../../shared/kube/pod/resource.ts'
import { StatusError } from '../../../../shared/kube/status-error.ts'
import { formatTime } from '../../../../shared/kube/time.ts'
import { coreEvents } from '../../../../shared/lifecycle/events/core-events.ts'
import { readCountdown } from '../../../../shared/lifecycle/eviction/countdown.ts'
import { memoryStore } from '../../../../shared/store/memory/store.ts'
import type { Store, StoredObject, WriteStep } from '../../../../shared/store/ports.ts'
import { runningPod } from '../../../builders/objects.ts'
import { SmallFleet, T0 } from '../../../functions/monitor/small-fleet.ts'
import { type StreamingStore, streamingStore } from '../../../functions/notifier/streaming-store.ts'
import { wrappedStore } from '../../../store-doubles/wrapped-store.ts'

export interface GivenPod {
  readonly name: string
  readonly node: string
  readonly tolerations: readonly Toleration[]
  readonly phase?: string
}

export interface GivenTaint {
  readonly key: string
  readonly value?: string
  readonly effect: Taint['effect']
  /** Seconds from the start of the world. */
  readonly timeAdded?: number | null
}

export interface ToldEvent {
  readonly at: number
  readonly pod: string
  readonly message: string
}

/** A host that is always well: without one nothing is evicted, because all zones would be down. */
const BYSTANDER = 'bystander'

export async function evictionWorld(): Promise<EvictionWorld> {
  const world = new EvictionWorld()
  await world.fleet.addNode(BYSTANDER, 'b')
  return world
}

export class EvictionWorld {
  readonly deletedAt = new Map<string, number>()
  readonly deleteCalls = new Map<string, number>()
  readonly condemned = new Set<string>()
  readonly events: ToldEvent[] = []
  #stream: StreamingStore | undefined
  #noted = 0
  #failures = 0
  readonly fleet = new SmallFleet({ store: (clock) => this.#countingStore(clock) })

  #countingStore(clock: () => number): Store {
    this.#stream = streamingStore(memoryStore({ clock }), clock)
    return wrappedStore(this.#stream.store, {
      call: (name, act, args) => {
        const evicted = name === 'commit' ? (args[0] as WriteStep[]).flatMap(evictedBy) : []
        for (const pod of evicted) this.deleteCalls.set(pod, (this.deleteCalls.get(pod) ?? 0) + 1)
        if (evicted.length === 0 || this.#failures-- <= 0) return act()
        throw new StatusError(503, 'ServiceUnavailable', 'by the script')
      },
    })
  }

  get #seconds(): number {
    return (this.fleet.nowMs - T0) / 1000
  }

  /** What the last writes brought about. */
  #note = (): void => {
    const { transitions } = this.#stream!
    for (const transition of transitions.slice(this.#noted)) {
      for (const { involvedObject, message } of coreEvents(transition, [])) {
        const { kind, name = '' } = involvedObject
        if (kind === 'Pod') this.events.push({ at: this.#seconds, pod: name, message })
      }
      const { after } = transition.kind === 'object' ? transition : {}
      if (after?.resource !== 'pods' || !after.object.metadata.deletionTimestamp) continue
      const { name } = after.key
      this.deletedAt.set(name, this.deletedAt.get(name) ?? this.#seconds)
      if (isTarget(after.object)) this.condemned.add(name)
    }
    this.#noted = transitions.length
  }

  /** One tick, and what falls due until the next one or until then. */
  async #monitor(untilMs: number): Promise<void> {
    const { fleet } = this
    await fleet.beat(...fleet.names)
    const report = await tick(fleet.session)
    this.#note()
    const endMs = Math.min(untilMs, fleet.nowMs + fleet.settings.nodeMonitorPeriodMs)
    const hooks = { signal: new AbortController().signal, onRound: this.#note }
    await workDeadlines(fleet.session, report, endMs, hooks)
    fleet.nowMs = Math.max(fleet.nowMs, endMs)
  }

  async advance(toSeconds: number): Promise<void> {
    const toMs = T0 + toSeconds * 1000
    while (this.fleet.nowMs < toMs) await this.#monitor(toMs)
    await this.look()
  }

  /** A tick at this very moment: here something has changed. */
  look = () => this.#monitor(this.fleet.nowMs)

  async putNode(name: string, given: readonly GivenTaint[]): Promise<void> {
    const { fleet } = this
    if (!(await fleet.node(name))) await fleet.addNode(name)
    const believed = (await fleet.node(name))!
    const node = believed.object as Node
    const taints = given.map(toTaint)
    const conditions = [{ ...node.status!.conditions![0]!, status: statusUnder(taints) }]
    const object = { ...node, spec: { taints }, status: { ...node.status, conditions } }
    const fields = nodeResource.selectable(object)
    const receivedAtMs = fleet.nowMs
    await fleet.must([{ do: 'replaceObject', believed, object, fields, receivedAtMs }])
    await this.look()
  }

  async deleteNode(name: string): Promise<void> {
    const { fleet } = this
    await this.#remove(await fleet.node(name))
    fleet.names.splice(fleet.names.indexOf(name), 1)
    await this.look()
  }

  async putPod(given: GivenPod): Promise<void> {
    const believed = await this.fleet.pod(given.name)
    const object = storedPod(given, believed?.object as Pod | undefined, this.fleet)
    const fields = podResource.selectable(object)
    await this.fleet.must([
      believed
        ? { do: 'replaceObject', believed, object, fields }
        : { do: 'createObject', resource: 'pods', object, fields },
    ])
    await this.look()
  }

  deletePod = async (name: string) => await this.#remove(await this.fleet.pod(name))

  async #remove(believed: StoredObject | undefined): Promise<void> {
    if (believed) await this.fleet.must([{ do: 'deleteObject', believed }])
    this.#note()
  }

  async restart(): Promise<void> {
    this.fleet.restart()
    await this.look()
  }

  failDeletes(count: number): void {
    this.#failures = count
  }

  async isScheduled(name: string): Promise<boolean> {
    const pod = (await this.fleet.pod(name))?.object as Pod | undefined
    return pod !== undefined && !pod.metadata.deletionTimestamp && readCountdown(pod) !== undefined
  }

  remembered = () => this.fleet.evicting()
}

function evictedBy(step: WriteStep): readonly string[] {
  if (step.do !== 'replaceObject' || step.object.metadata.deletionTimestamp === undefined) return []
  return [step.object.metadata.name ?? '']
}

function isTarget({ status }: Pod): boolean {
  const found = status?.conditions?.find(({ type }) => type === 'DisruptionTarget')
  return found?.status === 'True' && found.reason === 'DeletionByTaintManager'
}

function toTaint({ timeAdded, ...taint }: GivenTaint): Taint {
  if (timeAdded === undefined || timeAdded === null) return taint
  return { ...taint, timeAdded: formatTime(T0 + timeAdded * 1000) }
}

/** A taint of the monitor's own stays only where the host's condition says the same. */
function statusUnder(taints: readonly Taint[]): 'True' | 'False' | 'Unknown' {
  const has = (key: string) => taints.some((taint) => taint.key === `node.kubernetes.io/${key}`)
  if (has('unreachable')) return 'Unknown'
  return has('not-ready') ? 'False' : 'True'
}

/** As the api stores it: creation and binding are stamped, and annotations survive an update. */
function storedPod(given: GivenPod, before: Pod | undefined, { nowMs, uid }: SmallFleet): Pod {
  const pod = before ?? runningPod(given.name, given.node, { nowMs, uid: uid() })
  const bindsNow = given.node !== '' && !before?.spec?.nodeName
  const bound = {
    type: 'PodScheduled',
    status: 'True',
    lastTransitionTime: formatTime(nowMs),
  } as const
  const conditions = before?.status?.conditions ?? []
  const { node: nodeName, tolerations, phase } = given
  return {
    ...pod,
    spec: { ...pod.spec, nodeName, tolerations },
    status: { phase, conditions: bindsNow ? [...conditions, bound] : conditions },
  }
}

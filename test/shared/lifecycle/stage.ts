/**
 * The world of the scenario vectors: the monitor's own tick, with everything it writes, over the
 * memory store. What a step puts there is stamped as the api stamps it.
 */
import { receivedAtMs } from '../../../functions/api/nodes/status-heartbeat.ts'
import { assembleWorld, readInputs } from '../../../functions/monitor/read/world.ts'
import { readState, recordsIn } from '../../../functions/monitor/stored-state/stored-state.ts'
import { tick } from '../../../functions/monitor/tick.ts'
import { nodes as nodeResource } from '../../../shared/kube/node/resource.ts'
import type { ConditionStatus, Node, Pod } from '../../../shared/kube/objects.ts'
import { pods as podResource } from '../../../shared/kube/pod/resource.ts'
import { StatusError } from '../../../shared/kube/status-error.ts'
import { formatMicroTime } from '../../../shared/kube/time.ts'
import { decide } from '../../../shared/lifecycle/decide.ts'
import { coreEvents, type EventDraft } from '../../../shared/lifecycle/events/core-events.ts'
import { lastSignMs } from '../../../shared/lifecycle/liveness/health.ts'
import type { Decision, KnownNode, World } from '../../../shared/lifecycle/world.ts'
import { nodeLeaseNamespace } from '../../../shared/store/lease-state.ts'
import { memoryStore } from '../../../shared/store/memory/store.ts'
import { nodeDependents } from '../../../shared/store/node-dependents.ts'
import type { Store, StoredObject, WriteStep } from '../../../shared/store/ports.ts'
import { SmallFleet } from '../../functions/monitor/small-fleet.ts'
import { type StreamingStore, streamingStore } from '../../functions/notifier/streaming-store.ts'
import { wrappedStore } from '../../store-doubles/wrapped-store.ts'
import { atMs, type Scenario, settingsOf, type VectorLease } from './vector-shapes.ts'

/** Idle milliseconds after which a tainting loop that could taint would have. */
const IDLE_MS = 5
const LONGEST_PASS_MS = 200

type Replaced = Extract<WriteStep, { readonly do: 'replaceObject' }>

export class Stage {
  readonly fleet: SmallFleet
  #stream: StreamingStore | undefined
  readonly #written: Replaced[] = []
  /** How many of the next calls fail. */
  readonly failing = { nodes: 0, pods: 0, podList: 0, leaseScan: 0 }
  readonly #live = new Set<string>()
  readonly #pods: Scenario['pods']
  /** What of the monitor's passes is at work; a step's own writes always go through. */
  #pass: 'none' | 'monitor' | 'taint' = 'none'

  constructor({ config, pods }: Pick<Scenario, 'config' | 'pods'>) {
    const store = (clock: () => number) => this.#interceptedStore(clock)
    this.fleet = new SmallFleet({ settings: settingsOf(config), store })
    this.#pods = pods
  }

  /** The clock of a scenario. */
  set seconds(at: number) {
    this.fleet.nowMs = atMs(at)
  }

  // ---- what a step puts there -------------------------------------------------------------------

  /** Pods whose binding is a step of its own come with that step. */
  async addPods(isIn: (name: string) => boolean): Promise<void> {
    for (const { name, namespace, node, ready } of this.#pods.filter((one) => isIn(one.name))) {
      const conditions = ready ? [{ type: 'Ready', status: ready as ConditionStatus }] : []
      const object: Pod = {
        metadata: { name, namespace, uid: `uid-${name}` },
        spec: { nodeName: node },
        status: { phase: 'Running', conditions },
      }
      const fields = podResource.selectable(object)
      await this.fleet.must([{ do: 'createObject', resource: 'pods', object, fields }])
    }
  }

  async putNode(object: Node): Promise<void> {
    const before = await this.node(object.metadata.name ?? '')
    const fields = nodeResource.selectable(object)
    const stamp = receivedAtMs(object, before, this.fleet.nowMs)
    const beat = stamp !== undefined && { receivedAtMs: stamp }
    if (before?.uid === object.metadata.uid) {
      await this.fleet.must([
        { do: 'replaceObject', believed: before as StoredObject, object, fields, ...beat },
      ])
      return
    }
    if (before) await this.deleteNode(before.key.name)
    await this.fleet.must([{ do: 'createObject', resource: 'nodes', object, fields, ...beat }])
  }

  /** With what goes with it, as in the api. */
  async deleteNode(name: string): Promise<void> {
    const believed = await this.node(name)
    if (!believed) return
    const dependents = await nodeDependents(this.fleet.store, believed)
    await this.fleet.must([{ do: 'deleteObject', believed }, ...dependents])
  }

  /**
   * Reads here are consistent, so once a step says what the api has, what a cache shows no longer
   * matters.
   */
  async setLease({ node, renewTime }: VectorLease, isLive: boolean): Promise<void> {
    if (this.#live.has(node) && !isLive) return
    if (isLive) this.#live.add(node)
    const { leases } = this.fleet.store
    const key = { namespace: nodeLeaseNamespace, name: node }
    const time = typeof renewTime === 'number' && {
      renewTime: formatMicroTime(atMs(renewTime) * 1_000),
    }
    const spec = { holderIdentity: node, leaseDurationSeconds: 40, ...time }
    const believed = await leases.get(key)
    const outcome = believed
      ? await leases.replace({ ...believed.object, spec }, believed)
      : await leases.create({ metadata: { ...key, uid: this.fleet.uid() }, spec })
    if (outcome.kind !== 'created' && outcome.kind !== 'replaced')
      throw new Error(`the lease was ${outcome.kind}`)
  }

  // ---- the passes -------------------------------------------------------------------------------

  /** Undefined when something cannot be read: then there is no tick, and a monitor tries again. */
  async tick(pass: 'monitor' | 'taint' = 'monitor'): Promise<Decision | undefined> {
    this.#pass = pass
    try {
      return (await tick(this.fleet.session)).decision
    } catch (error) {
      if (error !== UNREADABLE) throw error
      return undefined
    } finally {
      this.#pass = 'none'
    }
  }

  /** Real time passes while the loop runs: until none has been tainted for a while. */
  async taintPass(): Promise<void> {
    const endMs = this.fleet.nowMs + LONGEST_PASS_MS
    for (let idle = 0; idle < IDLE_MS; this.fleet.nowMs++) {
      if (this.fleet.nowMs > endMs) throw new Error('the tainting never ends')
      const decision = await this.tick('taint')
      idle = decision?.counts.tainted ? 0 : idle + 1
    }
  }

  /** Of a living host: Kubernetes has further loops for the taints and labels of a node. */
  async reconcile(name: string): Promise<void> {
    await this.setLease({ node: name, renewTime: 0 }, true)
    await this.tick()
  }

  // ---- what there is ----------------------------------------------------------------------------

  node = async (name: string) =>
    (await this.fleet.node(name)) as (StoredObject & KnownNode) | undefined

  async records(): Promise<Pick<World, 'zones' | 'fleet'>> {
    const { session, settings, nowMs } = this.fleet
    return recordsIn(await readState(session), settings, nowMs)
  }

  async lastSignMs(name: string): Promise<number> {
    const { session, nowMs } = this.fleet
    const { beats } = await readInputs(session, nowMs)
    const { fleet } = await this.records()
    return lastSignMs((await this.node(name))!, beats.get(name), fleet?.value.floorMs ?? 0)
  }

  /** Who would be tainted next, by zone, as of now. */
  async waiting(): Promise<ReadonlyMap<string, readonly string[]>> {
    const { session, settings, nowMs } = this.fleet
    const world = assembleWorld(
      session,
      await readInputs(session, nowMs),
      await readState(session),
      nowMs,
    )
    const { zones } = decide(world, nowMs, settings)
    return new Map(zones.map(({ key, waiting }) => [key, waiting]))
  }

  get events(): readonly EventDraft[] {
    return (this.#stream?.transitions ?? []).flatMap((transition) => coreEvents(transition, []))
  }

  /** Attempts, failed ones too, to write another status. */
  statusWrites(resource: 'nodes' | 'pods'): number {
    const isOne = ({ believed, object }: Replaced) =>
      believed.resource === resource && statusOf(believed.object) !== statusOf(object)
    return this.#written.filter(isOne).length
  }

  // ---- the store --------------------------------------------------------------------------------

  #interceptedStore(clock: () => number): Store {
    this.#stream = streamingStore(memoryStore({ clock }), clock)
    return wrappedStore(this.#stream.store, {
      call: (name, act, args) => {
        if (this.#pass === 'none') return act()
        if (name === 'commit') return this.#commit(args[0] as readonly WriteStep[], act)
        if (name.startsWith('objects.') && args[0] === 'pods') this.#failRead('podList')
        return act()
      },
      pages: (_name, read) => {
        if (this.#pass !== 'none') this.#failRead('leaseScan')
        return read()
      },
    })
  }

  #failRead(what: 'podList' | 'leaseScan'): void {
    if (this.failing[what] === 0) return
    this.failing[what]--
    throw UNREADABLE
  }

  async #commit<R>(steps: readonly WriteStep[], act: () => Promise<R>): Promise<R> {
    const replaced = steps.filter((step) => step.do === 'replaceObject')
    this.#written.push(...replaced)
    // Kubernetes taints in a loop of its own: outside it this write comes too late.
    if (this.#pass !== 'taint' && isFirstTaint(replaced)) {
      return {
        kind: 'outrun',
        steps: [steps.findIndex(({ do: what }) => what === 'replaceObject')],
      } as R
    }
    if (this.#fails(replaced, 'nodes') || this.#fails(replaced, 'pods')) {
      throw new StatusError(503, 'ServiceUnavailable', 'by the script')
    }
    return await act()
  }

  #fails(replaced: readonly Replaced[], resource: 'nodes' | 'pods'): boolean {
    const isOne = replaced.some((step) => step.believed.resource === resource)
    if (!isOne || this.failing[resource] === 0) return false
    this.failing[resource]--
    return true
  }
}

const UNREADABLE = new Error('this cannot be read, by the script')

/** Paid for with a token of its zone, in the same commit. */
const isFirstTaint = (replaced: readonly Replaced[]) =>
  ['zones', 'nodes'].every((resource) =>
    replaced.some(({ believed }) => believed.resource === resource),
  )

const statusOf = (object: object) => JSON.stringify((object as Node).status)

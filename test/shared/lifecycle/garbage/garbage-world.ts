/** Pods and nodes in the memory store, and the monitor's own garbage collection over them. */
import { openChores } from '../../../../functions/monitor/chores/chores.ts'
import { tick } from '../../../../functions/monitor/tick.ts'
import { nodes as nodeResource } from '../../../../shared/kube/node/resource.ts'
import type { ConditionStatus, Node, Pod, Taint } from '../../../../shared/kube/objects.ts'
import { pods as podResource } from '../../../../shared/kube/pod/resource.ts'
import { StatusError } from '../../../../shared/kube/status-error.ts'
import { formatTime } from '../../../../shared/kube/time.ts'
import { memoryStore } from '../../../../shared/store/memory/store.ts'
import type { Change, Store, WriteStep } from '../../../../shared/store/ports.ts'
import { SmallFleet, T0 } from '../../../functions/monitor/small-fleet.ts'
import { wrappedStore } from '../../../store-doubles/wrapped-store.ts'

export interface GivenPod {
  readonly name: string
  readonly node: string
  readonly phase: string
  readonly reason?: string
  /** Seconds from the start of the world. */
  readonly createdAt?: number
  readonly terminating?: boolean
}

export type GivenNode =
  | string
  | { name: string; ready?: ConditionStatus | ''; taints?: readonly Taint[] | null }

export interface Step {
  readonly op: string
  readonly at?: number
  readonly node?: GivenNode
  readonly pod?: GivenPod
  readonly count?: number
  readonly id?: string
}

export class GarbageWorld {
  readonly deleted = new Set<string>()
  /** As they were written before their deletion. */
  readonly patched = new Map<string, Pod>()
  /** Nodes that the monitor's cache does not show yet. */
  readonly #uncached = new Set<string>()
  readonly #failing = { nodeReads: 0, podPatches: 0 }
  #collects = false
  readonly #fleet: SmallFleet

  constructor(terminatedPodGcThreshold: number) {
    const store = (clock: () => number) => this.#interceptedStore(clock)
    this.#fleet = new SmallFleet({ settings: { terminatedPodGcThreshold }, store })
  }

  async take({ op, at = 0, node = '', pod, count = 0 }: Step): Promise<void> {
    const name = typeof node === 'string' ? node : node.name
    if (op === 'clock') this.#fleet.nowMs = T0 + at * 1000
    else if (op === 'cacheNode') await this.#putNode(node, true)
    else if (op === 'liveNode') await this.#putNode(node, false)
    else if (op === 'unliveNode') await this.#deleteNode(name)
    else if (op === 'putPod' && pod) await this.#putPod(pod)
    else if (op === 'failNodeReads') this.#failing.nodeReads = count
    else if (op === 'failPodPatches') this.#failing.podPatches = count
    else if (op === 'gc') await this.#collect()
    else throw new Error(`no such step: ${op}`)
  }

  async #putNode(given: GivenNode, isCached: boolean): Promise<void> {
    const object = kubelet(given, this.#fleet.uid())
    const { name = '', uid = '' } = object.metadata
    if (!isCached) this.#uncached.add(name)
    const fields = nodeResource.selectable(object)
    await this.#fleet.must([{ do: 'createObject', resource: 'nodes', object, fields }])
    await this.#fleet.addLease(name, uid)
    this.#fleet.names.push(name)
  }

  async #deleteNode(name: string): Promise<void> {
    const believed = (await this.#fleet.node(name))!
    await this.#fleet.must([{ do: 'deleteObject', believed }])
  }

  /** It tolerates everything: what a taint evicts is no garbage. */
  async #putPod(given: GivenPod): Promise<void> {
    const pod = toPod(given)
    const metadata = { ...pod.metadata, uid: this.#fleet.uid() }
    const spec = { ...pod.spec, tolerations: [{ operator: 'Exists' }] }
    const object = { ...pod, metadata, spec }
    const fields = podResource.selectable(object)
    await this.#fleet.must([{ do: 'createObject', resource: 'pods', object, fields }])
  }

  /** A tick and what follows it, of hosts that live; chores that were just opened are due. */
  async #collect(): Promise<void> {
    await this.#fleet.beat(...this.#fleet.names)
    const report = await tick(this.#fleet.session)
    this.#collects = true
    await openChores(this.#fleet.session).afterTick(report)
    this.#collects = false
  }

  #interceptedStore(clock: () => number): Store {
    return wrappedStore(memoryStore({ clock }), {
      call: async (name, act, args) => {
        if (name === 'objects.list' && args[0] === 'nodes') {
          const page = (await act()) as Awaited<ReturnType<Store['objects']['list']>>
          return { ...page, items: page.items.filter(this.#isCached) } as never
        }
        if (name === 'objects.changes' && args[0] === 'nodes') {
          return ((await act()) as readonly Change[]).filter(this.#isCached) as never
        }
        if (!this.#collects) return await act()
        if (name === 'objects.read' && args[0] === 'nodes') this.#fail('nodeReads')
        return name === 'commit' ? await this.#commit(args[0] as WriteStep[], act) : await act()
      },
    })
  }

  #isCached = ({ key }: { readonly key: { readonly name: string } }) =>
    !this.#uncached.has(key.name)

  #fail(what: 'nodeReads' | 'podPatches'): void {
    if (this.#failing[what] === 0) return
    this.#failing[what] -= 1
    throw new StatusError(503, 'ServiceUnavailable', 'by the script')
  }

  async #commit<R>(steps: readonly WriteStep[], act: () => Promise<R>): Promise<R> {
    const patches = steps.flatMap((step) =>
      step.do === 'replaceObject' && step.believed.resource === 'pods' ? [step.object as Pod] : [],
    )
    if (patches.length > 0) this.#fail('podPatches')
    const outcome = await act()
    for (const pod of patches) this.patched.set(pod.metadata.name!, pod)
    for (const step of steps) {
      const isPod = step.do === 'deleteObject' && step.believed.resource === 'pods'
      if (isPod) this.deleted.add(step.believed.key.name)
    }
    return outcome
  }
}

export function toNode(given: GivenNode): Node {
  if (typeof given === 'string') return { metadata: { name: given } }
  const { name, ready, taints } = given
  const conditions = ready ? [{ type: 'Ready', status: ready }] : []
  return { metadata: { name }, spec: { taints: taints ?? [] }, status: { conditions } }
}

/** A kubelet confirms the end of its pods, as our agent does where it runs some. */
function kubelet(given: GivenNode, uid: string): Node {
  const node = toNode(given)
  const annotations = { 'agent.leasehold.dev/pods': 'true' }
  return { ...node, metadata: { ...node.metadata, uid, annotations } }
}

export function toPod({ name, node, phase, reason, createdAt = 0, terminating }: GivenPod): Pod {
  return {
    metadata: {
      name,
      namespace: 'default',
      creationTimestamp: formatTime(T0 + createdAt * 1000),
      ...(terminating && { deletionTimestamp: formatTime(T0) }),
    },
    spec: { nodeName: node },
    status: { phase, reason },
  }
}

/**
 * What is the host's status now? Every setter in kubelet's order over the Node last seen. A setter
 * that fails is told about and the rest still run: half a status beats none.
 */
import { NO_NODE_INFO } from '../shared/kube/node-facts.ts'
import type { Node, NodeCondition, NodeStatus } from '../shared/kube/objects.ts'
import type { MachineFacts } from './machine.ts'
import { type AddressFacts, findAddresses, PROVIDED_IP_ANNOTATION } from './setters/addresses.ts'
import { type NodeEvent, setCondition, setPressure, type Wanted } from './setters/conditions.ts'
import { imageList } from './setters/images.ts'
import { identify, type MachineSettings, rebootEvent, sizes } from './setters/machine.ts'
import { type Objections, setReady } from './setters/ready.ts'
import { versions } from './setters/versions.ts'
import { withPlatformLabels } from './status-change.ts'
import type { Pressure } from './thresholds.ts'

export interface StatusSettings extends MachineSettings {
  readonly nodeName: string
  readonly nodeIps: readonly string[]
  readonly hasExternalProvider: boolean
  readonly maxImages: number
  readonly runtimeType: string
  readonly runtimeVersion?: string
  readonly agentVersion: string
}

/** Everything one round knows. `facts` is absent when the machine would not say. */
export interface Round {
  readonly settings: StatusSettings
  readonly facts?: MachineFacts
  readonly pressures: ReadonlySet<Pressure>
  readonly objections: Objections
  /** Conditions from checks, and NetworkUnavailable. */
  readonly custom: readonly Wanted[]
  readonly wasRebootTold: boolean
  readonly nowMs: number
}

interface Draft {
  node: Node
  readonly events: NodeEvent[]
}

type Setter = (draft: Draft, round: Round) => void

const setStatus = (draft: Draft, status: Partial<NodeStatus>) => {
  draft.node = { ...draft.node, status: { ...draft.node.status, ...status } }
}

/** Ready comes last among the conditions: whoever waits for it finds the others fresh. */
export const SETTERS: Readonly<Record<string, Setter>> = {
  addresses: setAddresses,
  machine: setMachine,
  version: setVersions,
  images: setImages,
  osArch: setPlatform,
  checks: setCustom,
  MemoryPressure: pressureSetter('MemoryPressure'),
  DiskPressure: pressureSetter('DiskPressure'),
  PIDPressure: pressureSetter('PIDPressure'),
  Ready: setReadiness,
}

export interface Computed {
  readonly node: Node
  readonly events: readonly NodeEvent[]
  readonly problems: readonly string[]
}

export function computeStatus(
  node: Node,
  round: Round,
  setters: Readonly<Record<string, Setter>> = SETTERS,
): Computed {
  const draft: Draft = { node, events: [] }
  const problems: string[] = []
  for (const [name, set] of Object.entries(setters)) {
    try {
      set(draft, round)
    } catch (error) {
      problems.push(`${name}: ${(error as Error).message}`)
    }
  }
  return { node: draft.node, events: draft.events, problems }
}

function setAddresses(draft: Draft, { settings, facts }: Round): void {
  const wish: AddressFacts = {
    hostname: settings.nodeName,
    nodeIps: settings.nodeIps,
    resolved: facts?.addresses[0],
    hasExternalProvider: settings.hasExternalProvider,
    interfaces: facts?.addresses,
  }
  const found = findAddresses(draft.node.status?.addresses ?? [], wish)
  setStatus(draft, { addresses: found.addresses })
  draft.node = withProvidedIp(draft.node, found.providedIp)
}

export function withProvidedIp(node: Node, ip: string | undefined): Node {
  if (node.metadata.annotations?.[PROVIDED_IP_ANNOTATION] === ip) return node
  const { [PROVIDED_IP_ANNOTATION]: _, ...others } = node.metadata.annotations ?? {}
  const annotations = ip === undefined ? others : { ...others, [PROVIDED_IP_ANNOTATION]: ip }
  return { ...node, metadata: { ...node.metadata, annotations } }
}

function setMachine(draft: Draft, { settings, facts, wasRebootTold }: Round): void {
  const info = draft.node.status?.nodeInfo
  setStatus(draft, sizes(draft.node.status ?? {}, facts, settings))
  if (!facts) return
  const reboot = rebootEvent(settings.nodeName, info, facts.bootId, wasRebootTold)
  if (reboot) draft.events.push(reboot)
  setInfo(draft, identify(info, facts))
}

function setVersions(draft: Draft, { settings, facts }: Round): void {
  if (!facts) return
  setInfo(draft, versions({ kernel: facts.kernel, osImage: facts.osImage, ...settings }))
}

function setImages(draft: Draft, { settings, facts }: Round): void {
  if (facts?.images) setStatus(draft, { images: imageList(facts.images, settings.maxImages) })
}

function setPlatform(draft: Draft, { facts }: Round): void {
  if (!facts) return
  setInfo(draft, { operatingSystem: facts.os, architecture: facts.arch })
  draft.node = withPlatformLabels(draft.node, facts.os, facts.arch)
}

function setInfo(draft: Draft, info: Partial<NodeStatus['nodeInfo']>): void {
  setStatus(draft, { nodeInfo: { ...NO_NODE_INFO, ...draft.node.status?.nodeInfo, ...info } })
}

function setCustom(draft: Draft, { custom, nowMs }: Round): void {
  const start: readonly NodeCondition[] = draft.node.status?.conditions ?? []
  const conditions = custom.reduce((all, wanted) => setCondition(all, wanted, nowMs), start)
  if (custom.length > 0) setStatus(draft, { conditions })
}

function pressureSetter(type: Pressure): Setter {
  return (draft, { pressures, nowMs }) => {
    const old = draft.node.status?.conditions ?? []
    const { conditions, events } = setPressure(old, type, pressures.has(type), nowMs)
    setStatus(draft, { conditions })
    draft.events.push(...events)
  }
}

function setReadiness(draft: Draft, { objections, nowMs }: Round): void {
  const { conditions: old = [], capacity } = draft.node.status ?? {}
  const facts = { objections, capacity, hasLocalStorageIsolation: false }
  const { conditions, events } = setReady(old, facts, nowMs)
  setStatus(draft, { conditions })
  draft.events.push(...events)
}

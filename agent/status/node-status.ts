/**
 * What is the host's status now? Every setter, in the kubelet's order, over the Node last seen. A
 * setter that fails is reported as a problem and the others still run.
 */
import { EMPTY_NODE_INFO } from '../../shared/kube/node/well-known.ts'
import type { Node, NodeAddress, NodeCondition, NodeStatus } from '../../shared/kube/objects.ts'
import { isOfCheck } from '../machine/checks.ts'
import type { Pressure } from '../machine/eviction-thresholds.ts'
import type { MachineFacts } from '../machine/machine.ts'
import type { NodeEvent } from './node-event.ts'
import { type AddressFacts, findAddresses, PROVIDED_IP_ANNOTATION } from './setters/addresses.ts'
import { capacityAndAllocatable, type MachineSettings } from './setters/capacity.ts'
import { type ConditionUpdate, setCondition, setPressure } from './setters/conditions.ts'
import { imageList } from './setters/images.ts'
import { machineIds, rebootEvent, versionInfo } from './setters/node-info.ts'
import { type ReadinessErrors, setReady } from './setters/ready.ts'

export interface StatusSettings extends MachineSettings {
  readonly nodeName: string
  readonly nodeIps: readonly string[]
  readonly moreAddresses?: readonly NodeAddress[]
  readonly hasExternalProvider: boolean
  readonly maxImages: number
  readonly runtimeType: string
  readonly runtimeVersion?: string
  readonly agentVersion: string
}

/** Everything the setters read. `facts` is absent when they could not be read. */
export interface SetterInput {
  readonly settings: StatusSettings
  readonly facts?: MachineFacts
  readonly pressures: ReadonlySet<Pressure>
  readonly readinessErrors: ReadinessErrors
  /** Conditions from checks, and NetworkUnavailable. */
  readonly customConditions: readonly ConditionUpdate[]
  /** Whether a check that is not among them has been removed. Default false. */
  readonly areChecksKnown?: boolean
  readonly wasRebootReported: boolean
  readonly nowMs: number
}

interface Draft {
  node: Node
  readonly events: NodeEvent[]
}

type Setter = (draft: Draft, input: SetterInput) => void

const setStatus = (draft: Draft, status: Partial<NodeStatus>) => {
  draft.node = { ...draft.node, status: { ...draft.node.status, ...status } }
}

/** Ready comes last, so that a client that waits for it finds the other conditions updated. */
export const SETTERS: Readonly<Record<string, Setter>> = {
  addresses: setAddresses,
  machine: setMachine,
  version: setVersions,
  images: setImages,
  osArch: setPlatform,
  checks: setCustomConditions,
  MemoryPressure: pressureSetter('MemoryPressure'),
  DiskPressure: pressureSetter('DiskPressure'),
  PIDPressure: pressureSetter('PIDPressure'),
  Ready: setReadyCondition,
}

export interface ComputedStatus {
  readonly node: Node
  readonly events: readonly NodeEvent[]
  readonly problems: readonly string[]
}

export function computeNodeStatus(
  node: Node,
  input: SetterInput,
  setters: Readonly<Record<string, Setter>> = SETTERS,
): ComputedStatus {
  const draft: Draft = { node, events: [] }
  const problems: string[] = []
  for (const [name, set] of Object.entries(setters)) {
    try {
      set(draft, input)
    } catch (error) {
      problems.push(`${name}: ${(error as Error).message}`)
    }
  }
  return { node: draft.node, events: draft.events, problems }
}

function setAddresses(draft: Draft, { settings, facts }: SetterInput): void {
  const addressFacts: AddressFacts = {
    hostname: settings.nodeName,
    nodeIps: settings.nodeIps,
    resolved: facts?.addresses[0],
    hasExternalProvider: settings.hasExternalProvider,
    interfaces: facts?.addresses,
  }
  const found = findAddresses(draft.node.status?.addresses ?? [], addressFacts)
  setStatus(draft, { addresses: [...found.addresses, ...(settings.moreAddresses ?? [])] })
  draft.node = withProvidedNodeIp(draft.node, found.providedIp)
}

export function withProvidedNodeIp(node: Node, ip: string | undefined): Node {
  if (node.metadata.annotations?.[PROVIDED_IP_ANNOTATION] === ip) return node
  const { [PROVIDED_IP_ANNOTATION]: _, ...others } = node.metadata.annotations ?? {}
  const annotations = ip === undefined ? others : { ...others, [PROVIDED_IP_ANNOTATION]: ip }
  return { ...node, metadata: { ...node.metadata, annotations } }
}

function setMachine(draft: Draft, { settings, facts, wasRebootReported }: SetterInput): void {
  const info = draft.node.status?.nodeInfo
  setStatus(draft, capacityAndAllocatable(draft.node.status ?? {}, facts, settings))
  if (!facts) return
  const reboot = rebootEvent(settings.nodeName, info, facts.bootId, wasRebootReported)
  if (reboot) draft.events.push(reboot)
  setInfo(draft, machineIds(info, facts))
}

function setVersions(draft: Draft, { settings, facts }: SetterInput): void {
  if (!facts) return
  setInfo(draft, versionInfo({ kernel: facts.kernel, osImage: facts.osImage, ...settings }))
}

function setImages(draft: Draft, { settings, facts }: SetterInput): void {
  if (facts?.images) setStatus(draft, { images: imageList(facts.images, settings.maxImages) })
}

function setPlatform(draft: Draft, { facts }: SetterInput): void {
  if (!facts) return
  setInfo(draft, { operatingSystem: facts.os, architecture: facts.arch })
  draft.node = withPlatformLabels(draft.node, facts.os, facts.arch)
}

const PLATFORM_LABELS = ['kubernetes.io/os', 'kubernetes.io/arch'] as const

/** Labels that selectors rely on: when a client removed them, the next report restores them. */
export function withPlatformLabels(node: Node, os: string, arch: string): Node {
  const wanted = { 'kubernetes.io/os': os, 'kubernetes.io/arch': arch }
  const labels = node.metadata.labels
  if (PLATFORM_LABELS.every((key) => labels?.[key] === wanted[key])) return node
  return { ...node, metadata: { ...node.metadata, labels: { ...labels, ...wanted } } }
}

function setInfo(draft: Draft, info: Partial<NodeStatus['nodeInfo']>): void {
  setStatus(draft, { nodeInfo: { ...EMPTY_NODE_INFO, ...draft.node.status?.nodeInfo, ...info } })
}

function setCustomConditions(draft: Draft, input: SetterInput): void {
  const { customConditions, areChecksKnown = false, nowMs } = input
  const old: readonly NodeCondition[] = draft.node.status?.conditions ?? []
  const isLeft = (each: NodeCondition) =>
    isOfCheck(each) && !customConditions.some(({ type }) => type === each.type)
  const start = areChecksKnown ? old.filter((each) => !isLeft(each)) : old
  const conditions = customConditions.reduce((all, each) => setCondition(all, each, nowMs), start)
  if (customConditions.length > 0 || start.length < old.length) setStatus(draft, { conditions })
}

function pressureSetter(type: Pressure): Setter {
  return (draft, { pressures, nowMs }) => {
    const old = draft.node.status?.conditions ?? []
    const { conditions, events } = setPressure(old, type, pressures.has(type), nowMs)
    setStatus(draft, { conditions })
    draft.events.push(...events)
  }
}

function setReadyCondition(draft: Draft, { readinessErrors: errors, nowMs }: SetterInput): void {
  const { conditions: old = [], capacity } = draft.node.status ?? {}
  const facts = { errors, capacity, hasLocalStorageIsolation: false }
  const { conditions, events } = setReady(old, facts, nowMs)
  setStatus(draft, { conditions })
  draft.events.push(...events)
}

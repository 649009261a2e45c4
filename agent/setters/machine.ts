/** How big is the host, and which machine is it? Capacity, allocatable, and the ids in nodeInfo. */
import type { NodeInfo, NodeStatus } from '../../shared/kube/objects.ts'
import { bytesQuantity, lessOrZero } from '../amounts.ts'
import type { MachineFacts } from '../machine.ts'
import type { NodeEvent } from './conditions.ts'

type Resources = Readonly<Record<string, string>>

export interface MachineSettings {
  readonly maxPods: number
  /** 0 = no such limit. */
  readonly podsPerCore: number
  /** What the system keeps for itself. */
  readonly reserved: Resources
  /** Devices that are gone: shown with 0, so that nobody believes the last number. */
  readonly removedDevices?: readonly string[]
}

type Sized = Pick<NodeStatus, 'capacity' | 'allocatable'>

/**
 * Known values overwrite, unknown entries stay. Without facts: cpu 0, memory 0, pods as configured.
 */
export function sizes(
  existing: Sized,
  facts: MachineFacts | undefined,
  settings: MachineSettings,
): Required<Sized> {
  const capacity: Resources = {
    ...existing.capacity,
    ...known(facts, settings),
    ...Object.fromEntries((settings.removedDevices ?? []).map((name) => [name, '0'])),
  }
  return { capacity, allocatable: allocatableOf(existing.allocatable ?? {}, capacity, settings) }
}

function known(facts: MachineFacts | undefined, settings: MachineSettings): Resources {
  if (!facts) return { cpu: '0', memory: '0', pods: String(settings.maxPods) }
  const perCore = settings.podsPerCore * facts.cores
  const pods = settings.podsPerCore > 0 ? Math.min(perCore, settings.maxPods) : settings.maxPods
  return {
    cpu: String(facts.cores),
    memory: bytesQuantity(facts.memoryBytes),
    pods: String(pods),
    ...(facts.storageBytes && { 'ephemeral-storage': bytesQuantity(facts.storageBytes) }),
    ...facts.hugePages,
  }
}

function allocatableOf(
  existing: Resources,
  capacity: Resources,
  { reserved }: MachineSettings,
): Resources {
  const kept = Object.entries(existing).filter(([name]) => name in capacity || !isExtended(name))
  const allocatable = Object.fromEntries(kept)
  for (const [name, amount] of Object.entries(capacity)) {
    allocatable[name] = lessOrZero(amount, reserved[name] ?? '0')
  }
  // Memory in huge pages cannot be handed out twice.
  for (const [name, amount] of Object.entries(capacity)) {
    if (!name.startsWith('hugepages-')) continue
    allocatable.memory = lessOrZero(allocatable.memory ?? '0', amount)
  }
  return allocatable
}

/** `domain/name` outside kubernetes.io: what plug-ins invent. */
export function isExtended(name: string): boolean {
  const [domain, rest] = name.split('/')
  if (rest === undefined) return false
  return domain !== 'kubernetes.io' && !domain?.endsWith('.kubernetes.io')
}

export function identify(
  existing: NodeInfo | undefined,
  facts: MachineFacts,
): Pick<NodeInfo, 'machineID' | 'systemUUID' | 'bootID' | 'swap'> {
  const { machineId: machineID, systemUuid: systemUUID, bootId: bootID, swapBytes } = facts
  const swap = swapBytes > 0 ? { capacity: swapBytes } : existing?.swap
  return { machineID, systemUUID, bootID, ...(swap && { swap }) }
}

/** Once per process: a boot id that changes again while we run is not a second reboot. */
export function rebootEvent(
  nodeName: string,
  existing: NodeInfo | undefined,
  bootId: string,
  wasSent: boolean,
): NodeEvent | undefined {
  if (wasSent || !existing?.bootID || existing.bootID === bootId) return undefined
  const message = `Node ${nodeName} has been rebooted, boot id: ${bootId}`
  return { type: 'Warning', reason: 'Rebooted', message }
}

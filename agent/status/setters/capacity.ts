/** How big is the host? Capacity and allocatable. */
import type { NodeStatus } from '../../../shared/kube/objects.ts'
import type { MachineFacts } from '../../machine/machine.ts'
import { bytesQuantity, lessOrZero } from '../../machine/quantities.ts'

type Resources = Readonly<Record<string, string>>

export interface MachineSettings {
  readonly maxPods: number
  /** 0 = no such limit. */
  readonly podsPerCore: number
  /** What the system keeps for itself. */
  readonly reserved: Resources
  /** Devices that are gone: shown with 0, so that the last number does not stay. */
  readonly removedDevices?: readonly string[]
}

type Sizes = Pick<NodeStatus, 'capacity' | 'allocatable'>

/**
 * Known values overwrite, unknown entries stay. Without facts: cpu 0, memory 0, pods as configured.
 */
export function capacityAndAllocatable(
  existing: Sizes,
  facts: MachineFacts | undefined,
  settings: MachineSettings,
): Required<Sizes> {
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
    allocatable[name] = lessOrZero(amount, reserved[name] ?? '0', formatOf(name))
  }
  // Memory in huge pages cannot be handed out twice.
  for (const [name, amount] of Object.entries(capacity)) {
    if (!name.startsWith('hugepages-')) continue
    allocatable.memory = lessOrZero(allocatable.memory ?? '0', amount, 'binary')
  }
  return allocatable
}

/** Bytes are never shortened by thousands: 5000 of them are `5000` and not `5k`. */
function formatOf(name: string): 'binary' | undefined {
  const isBytes = ['memory', 'ephemeral-storage'].includes(name) || name.startsWith('hugepages-')
  return isBytes ? 'binary' : undefined
}

/** An extended resource: `domain/name` outside kubernetes.io, as device plug-ins define it. */
export function isExtended(name: string): boolean {
  const [domain, rest] = name.split('/')
  if (rest === undefined) return false
  return domain !== 'kubernetes.io' && !domain?.endsWith('.kubernetes.io')
}

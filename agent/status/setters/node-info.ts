/** Which machine is it, and what runs on it? The fields of nodeInfo, and the event of a reboot. */
import type { NodeSystemInfo } from '../../../shared/kube/objects.ts'
import type { MachineFacts } from '../../machine/machine.ts'
import type { NodeEvent } from '../node-event.ts'

interface VersionFacts {
  readonly kernel: string
  readonly osImage: string
  readonly runtimeType: string
  readonly runtimeVersion?: string | null
  readonly agentVersion: string
}

type Versions = Pick<
  NodeSystemInfo,
  'kernelVersion' | 'osImage' | 'containerRuntimeVersion' | 'kubeletVersion' | 'kubeProxyVersion'
>

export function versionInfo(facts: VersionFacts): Versions {
  return {
    kernelVersion: facts.kernel,
    osImage: facts.osImage,
    containerRuntimeVersion: `${facts.runtimeType}://${facts.runtimeVersion ?? 'Unknown'}`,
    kubeletVersion: facts.agentVersion,
    kubeProxyVersion: '',
  }
}

export function machineIds(
  existing: NodeSystemInfo | undefined,
  facts: MachineFacts,
): Pick<NodeSystemInfo, 'machineID' | 'systemUUID' | 'bootID' | 'swap'> {
  const { machineId: machineID, systemUuid: systemUUID, bootId: bootID, swapBytes } = facts
  const swap = swapBytes > 0 ? { capacity: swapBytes } : existing?.swap
  return { machineID, systemUUID, bootID, ...(swap && { swap }) }
}

/** Once per process: a boot id that changes again while the agent runs is not a second reboot. */
export function rebootEvent(
  nodeName: string,
  existing: NodeSystemInfo | undefined,
  bootId: string,
  wasSent: boolean,
): NodeEvent | undefined {
  if (wasSent || !existing?.bootID || existing.bootID === bootId) return undefined
  const message = `Node ${nodeName} has been rebooted, boot id: ${bootId}`
  return { type: 'Warning', reason: 'Rebooted', message }
}

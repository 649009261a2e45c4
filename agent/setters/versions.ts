/** What runs on the host? */
import type { NodeInfo } from '../../shared/kube/objects.ts'

export interface VersionFacts {
  readonly kernel: string
  readonly osImage: string
  readonly runtimeType: string
  readonly runtimeVersion?: string | null
  readonly agentVersion: string
}

type Versions = Pick<
  NodeInfo,
  'kernelVersion' | 'osImage' | 'containerRuntimeVersion' | 'kubeletVersion' | 'kubeProxyVersion'
>

export function versions(facts: VersionFacts): Versions {
  return {
    kernelVersion: facts.kernel,
    osImage: facts.osImage,
    containerRuntimeVersion: `${facts.runtimeType}://${facts.runtimeVersion ?? 'Unknown'}`,
    kubeletVersion: facts.agentVersion,
    kubeProxyVersion: '',
  }
}

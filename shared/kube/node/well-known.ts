/** What Kubernetes expects in every node's status, and which labels a node may set on itself. */
import type { NodeSystemInfo } from '../objects.ts'

/** Complete, because some clients refuse a nodeInfo that lacks a member. */
export const EMPTY_NODE_INFO: NodeSystemInfo = {
  machineID: '',
  systemUUID: '',
  bootID: '',
  kernelVersion: '',
  osImage: '',
  containerRuntimeVersion: '',
  kubeletVersion: '',
  kubeProxyVersion: '',
  operatingSystem: '',
  architecture: '',
}

/** Of the labels in Kubernetes' own domains, those that a node may set on itself. */
export const KUBELET_LABELS: ReadonlySet<string> = new Set([
  'kubernetes.io/hostname',
  'topology.kubernetes.io/zone',
  'topology.kubernetes.io/region',
  'failure-domain.beta.kubernetes.io/zone',
  'failure-domain.beta.kubernetes.io/region',
  'node.kubernetes.io/instance-type',
  'beta.kubernetes.io/instance-type',
  'kubernetes.io/os',
  'kubernetes.io/arch',
  'beta.kubernetes.io/os',
  'beta.kubernetes.io/arch',
])

/** May a node not add, change or remove this label on itself? (NodeRestriction) */
export function isForbiddenNodeLabel(key: string): boolean {
  if (isInDomain(key, 'node-restriction.kubernetes.io')) return true
  if (!isInDomain(key, 'kubernetes.io') && !isInDomain(key, 'k8s.io')) return false
  if (KUBELET_LABELS.has(key)) return false
  return !isInDomain(key, 'kubelet.kubernetes.io') && !isInDomain(key, 'node.kubernetes.io')
}

/** Is the part before the slash this domain, or below it? */
export function isInDomain(key: string, domain: string): boolean {
  const prefix = key.slice(0, Math.max(0, key.indexOf('/')))
  return prefix === domain || prefix.endsWith(`.${domain}`)
}

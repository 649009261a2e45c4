/**
 * Which failure domain does a node belong to, and does it count when the domain's health is summed
 * up?
 */
import type { Node } from '../kube/objects.ts'

const ZONE = ['failure-domain.beta.kubernetes.io/zone', 'topology.kubernetes.io/zone'] as const
const REGION = [
  'failure-domain.beta.kubernetes.io/region',
  'topology.kubernetes.io/region',
] as const
const EXCLUDE = 'node.kubernetes.io/exclude-disruption'

/**
 * Region, NUL, zone, with a colon around the NUL; empty when the node says neither. The old label
 * wins by being there at all, even empty, as in Kubernetes.
 */
export function zoneKey(node: Node): string {
  const labels = node.metadata.labels
  if (!labels) return ''
  const zone = labels[ZONE[0]] ?? labels[ZONE[1]] ?? ''
  const region = labels[REGION[0]] ?? labels[REGION[1]] ?? ''
  return zone === '' && region === '' ? '' : `${region}:\u0000:${zone}`
}

/** Presence alone counts; the value is not looked at. */
export function isExcludedFromDisruption(node: Node): boolean {
  return node.metadata.labels?.[EXCLUDE] !== undefined
}

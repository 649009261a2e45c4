/** Which failure domain is a node in, how ill is that domain, and how fast may it be evicted? */
import { fingerprint } from '../../kube/fnv.ts'
import { labelName } from '../../kube/meta/names.ts'
import type { Node } from '../../kube/objects.ts'
import type { ZoneState } from '../../kube/zone/resource.ts'
import type { Settings } from '../settings.ts'

/**
 * Below this many, a share says nothing: two dead nodes of three are an accident, not a disruption.
 */
const MIN_NOT_READY = 3

export interface ZoneCount {
  /** Counted nodes: neither excluded by label nor gone on purpose. */
  readonly size: number
  readonly notReady: number
}

export function zoneStateOf(count: ZoneCount, unhealthyZoneThreshold: number): ZoneState {
  const { size, notReady } = count
  if (notReady > 0 && notReady === size) return 'FullDisruption'
  if (notReady >= MIN_NOT_READY && notReady / size >= unhealthyZoneThreshold) {
    return 'PartialDisruption'
  }
  return 'Normal'
}

type RateSettings = Pick<
  Settings,
  'nodeEvictionRate' | 'secondaryNodeEvictionRate' | 'largeClusterSizeThreshold' | 'fullZonePolicy'
>

/**
 * The limiter's rate on entering a state, while the fleet as a whole is not disrupted. 0 stops it.
 */
export function evictionRate(state: ZoneState, size: number, settings: RateSettings): number {
  if (state === 'PartialDisruption') {
    const isLarge = size > settings.largeClusterSizeThreshold
    return isLarge ? settings.secondaryNodeEvictionRate : 0
  }
  if (state !== 'FullDisruption') return settings.nodeEvictionRate
  if (settings.fullZonePolicy === 'freeze') return 0
  return settings.fullZonePolicy === 'slow'
    ? settings.secondaryNodeEvictionRate
    : settings.nodeEvictionRate
}

const ZONE = ['failure-domain.beta.kubernetes.io/zone', 'topology.kubernetes.io/zone'] as const
const REGION = [
  'failure-domain.beta.kubernetes.io/region',
  'topology.kubernetes.io/region',
] as const
const EXCLUDE = 'node.kubernetes.io/exclude-disruption'

/** The old label wins by being there at all, even empty, as in Kubernetes. */
export function zoneKey(node: Node): string {
  const labels = node.metadata.labels
  if (!labels) return ''
  const zone = labels[ZONE[0]] ?? labels[ZONE[1]] ?? ''
  const region = labels[REGION[0]] ?? labels[REGION[1]] ?? ''
  return zoneKeyOf(region, zone)
}

const SEPARATOR = ':\u0000:'

/** Region, NUL, zone, with a colon around the NUL; empty when a node says neither. */
export const zoneKeyOf = (region: string, zone: string): string =>
  zone === '' && region === '' ? '' : `${region}${SEPARATOR}${zone}`

export function zonePartsOf(key: string): { readonly region: string; readonly zone: string } {
  const [region = '', zone = ''] = key.split(SEPARATOR)
  return { region, zone }
}

/** What the Zone object of this key is called. */
export function nameOfZone(key: string): string {
  const { region, zone } = zonePartsOf(key)
  return zoneName(region, zone)
}

/** Does the node count when its domain's health is summed up? The label's presence alone decides. */
export function isExcludedFromDisruption(node: Node): boolean {
  return node.metadata.labels?.[EXCLUDE] !== undefined
}

export const NO_ZONE = 'none'

/** The name of a Zone: its region and zone as DNS labels, with a fingerprint if they are none. */
export function zoneName(region: string, zone: string): string {
  if (!region && !zone) return NO_ZONE
  const parts = region ? [region, zone] : [zone]
  const plain = parts.every((part) => labelName(part).length === 0)
  const name = parts.join('.')
  // A zone may not be called what another one's fingerprint makes of it: it would take its place.
  if (plain && name !== NO_ZONE && !FINGERPRINTED.test(name)) return name
  // Two zones may read alike as DNS labels; the fingerprint of the originals keeps them apart.
  return `${dnsLabel(name)}-${fingerprint(`${region}\n${zone}`)}`
}

const FINGERPRINTED = /-[0-9a-f]{8}$/

const dnsLabel = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '') || 'zone'

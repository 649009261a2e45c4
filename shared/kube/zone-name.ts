/**
 * What is a zone called? A DNS form of its region and zone; what DNS cannot say gets a fingerprint.
 */
import { fnv1a } from './fnv.ts'
import { labelName } from './validation/names.ts'

export const NO_ZONE = 'none'

export function zoneName(region: string, zone: string): string {
  if (!region && !zone) return NO_ZONE
  const parts = region ? [region, zone] : [zone]
  const plain = parts.every((part) => labelName(part).length === 0)
  const name = parts.join('.')
  if (plain && name !== NO_ZONE) return name
  // Rewriting may make two zones look alike; the fingerprint of what was there keeps them apart.
  return `${tame(name)}-${fnv1a(`${region}\n${zone}`)}`
}

const tame = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '') || 'zone'

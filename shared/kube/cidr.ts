/**
 * Address blocks: read, written, and checked for the one strict spelling. Own parser: the browser
 * reads this file too.
 */
import { type FieldErrors, invalidValue } from './field-errors.ts'

export interface Cidr {
  readonly family: 'IPv4' | 'IPv6'
  readonly address: bigint
  readonly prefix: number
}

interface ParsedCidr extends Cidr {
  readonly leadingZeros: boolean
}

export const ADDRESS_BITS = { IPv4: 32, IPv6: 128 } as const

export function validateCidr(text: string, field: string): FieldErrors {
  const cidr = parseCidr(text)
  const wrong = cidr ? strictnessError(cidr) : malformed
  return wrong ? [invalidValue(field, text, wrong)] : []
}

const malformed = 'must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)'

function strictnessError({ family, address, prefix, leadingZeros }: ParsedCidr) {
  if (leadingZeros) return 'must not have leading 0s in IP or prefix length'
  const isMapped = family === 'IPv6' && address >> 32n === 0xffffn
  if (isMapped) return 'must not have an IPv4-mapped IPv6 address'
  const hostBits = BigInt(ADDRESS_BITS[family] - prefix)
  return address & ((1n << hostBits) - 1n)
    ? 'must not have bits set beyond the prefix length'
    : undefined
}

/** Keeps the bits beyond the prefix, as Go's ParseCIDR does in the address it returns. */
export function parseCidr(text: string): ParsedCidr | undefined {
  const [written, length, ...rest] = text.split('/')
  if (!written || !length || rest.length > 0 || !/^\d{1,4}$/.test(length)) return undefined
  const family = written.includes(':') ? 'IPv6' : 'IPv4'
  const address = family === 'IPv6' ? parseIPv6(written) : parseIPv4(written)
  const prefix = Number(length)
  if (address === undefined || prefix > ADDRESS_BITS[family]) return undefined
  const leadingZeros = [length, ...dottedPart(written).split('.')].some(startsWithZero)
  return { family, address, prefix, leadingZeros }
}

/** A block is valid but not written as RFC 5952 asks: its spellings compare as different. */
export function cidrWarnings(text: string, field: string): readonly string[] {
  const cidr = parseCidr(text)
  if (cidr?.family !== 'IPv6') return []
  const canonical = formatCidr(cidr)
  if (canonical === text) return []
  return [
    `${field}: IPv6 CIDR value ${JSON.stringify(text)} should be in RFC 5952 canonical format ` +
      `(${JSON.stringify(canonical)})`,
  ]
}

export function formatCidr({ family, address, prefix }: Cidr): string {
  return `${family === 'IPv4' ? formatIPv4(address) : formatIPv6(address)}/${prefix}`
}

function formatIPv4(address: bigint): string {
  return [24n, 16n, 8n, 0n].map((shift) => (address >> shift) & 0xffn).join('.')
}

/**
 * RFC 5952: lower case, no leading zeros, the longest run of two or more zero groups (the first of
 * equals) as `::`.
 */
function formatIPv6(address: bigint): string {
  const groups = Array.from({ length: 8 }, (_, i) =>
    ((address >> BigInt(16 * (7 - i))) & 0xffffn).toString(16),
  )
  const text = groups.join(':')
  const runs = text.match(/\b0(:0)+\b/g) ?? []
  const longest = runs.reduce((best, run) => (run.length > best.length ? run : best), '')
  if (!longest) return text
  const at = text.search(new RegExp(`\\b${longest}\\b`))
  const [head, tail] = [text.slice(0, at), text.slice(at + longest.length)]
  return `${head.replace(/:$/, '')}::${tail.replace(/^:/, '')}`
}

const dottedPart = (address: string) =>
  address.includes('.') ? address.slice(address.lastIndexOf(':') + 1) : ''

const startsWithZero = (digits: string) => /^0\d/.test(digits)

function parseIPv4(text: string): bigint | undefined {
  const octets = text.split('.')
  const legal = octets.every((octet) => /^\d{1,8}$/.test(octet) && Number(octet) <= 255)
  if (octets.length !== 4 || !legal) return undefined
  return octets.reduce((bits, octet) => (bits << 8n) | BigInt(Number(octet)), 0n)
}

function parseIPv6(text: string): bigint | undefined {
  const hex = withoutDots(text)
  const halves = hex?.split('::')
  if (!halves || halves.length > 2) return undefined
  const [head = [], tail = []] = halves.map((half) => (half ? half.split(':') : []))
  const missing = 8 - head.length - tail.length
  // Without `::` all eight groups are there; with it, it stands for at least one.
  if (halves.length === 1 ? missing !== 0 : missing < 1) return undefined
  const groups = [...head, ...Array<string>(missing).fill('0'), ...tail]
  if (!groups.every((group) => /^[0-9a-fA-F]{1,4}$/.test(group))) return undefined
  return groups.reduce((bits, group) => (bits << 16n) | BigInt(`0x${group}`), 0n)
}

/** Rewrites a dotted end, as in `::ffff:10.0.0.1`, as two groups. */
function withoutDots(text: string): string | undefined {
  if (!text.includes('.')) return text
  const at = text.lastIndexOf(':') + 1
  const bits = parseIPv4(text.slice(at))
  if (bits === undefined) return undefined
  return `${text.slice(0, at)}${(bits >> 16n).toString(16)}:${(bits & 0xffffn).toString(16)}`
}

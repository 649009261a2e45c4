/** Address ranges, exactly: an address is a whole number of 32 or 128 bits. */
import { parseCidr as parseText } from '../kube/validation/cidr.ts'

export interface Cidr {
  readonly family: 'IPv4' | 'IPv6'
  /** The network address; host bits are always clear. */
  readonly address: bigint
  readonly prefix: number
}

const GROUPS = 8
const BITS = { IPv4: 32, IPv6: 128 } as const

export const bitsOf = ({ family }: Pick<Cidr, 'family'>): number => BITS[family]

/** Undefined for anything that is not a range. Host bits are cleared: nodes are found with them. */
export function parseCidr(text: string): Cidr | undefined {
  const read = parseText(text)
  // A leading zero means octal to some readers and nothing to others, so it means nothing here.
  if (!read || read.leadingZeros) return undefined
  return cidrOf(read.family, read.bits, read.prefixLength)
}

export function cidrOf(family: Cidr['family'], address: bigint, prefix: number): Cidr {
  const hostBits = BigInt(BITS[family] - prefix)
  return { family, address: (address >> hostBits) << hostBits, prefix }
}

export function formatCidr({ family, address, prefix }: Cidr): string {
  return `${family === 'IPv4' ? formatIPv4(address) : formatIPv6(address)}/${prefix}`
}

function formatIPv4(address: bigint): string {
  return [24n, 16n, 8n, 0n].map((shift) => (address >> shift) & 0xffn).join('.')
}

/** The shortest form: the first longest run of at least two zero groups becomes "::". */
function formatIPv6(address: bigint): string {
  const groups = Array.from({ length: GROUPS }, (_, i) =>
    ((address >> BigInt(16 * (GROUPS - 1 - i))) & 0xffffn).toString(16),
  )
  const run = longestZeroRun(groups)
  if (run.length < 2) return groups.join(':')
  const head = groups.slice(0, run.start).join(':')
  const tail = groups.slice(run.start + run.length).join(':')
  return `${head}::${tail}`
}

function longestZeroRun(groups: readonly string[]): { start: number; length: number } {
  let best = { start: 0, length: 0 }
  for (let start = 0; start < groups.length; start += 1) {
    const end = groups.findIndex((group, i) => i >= start && group !== '0')
    const length = (end < 0 ? groups.length : end) - start
    if (length > best.length) best = { start, length }
  }
  return best
}

export function covers(outer: Cidr, inner: Cidr): boolean {
  if (outer.family !== inner.family || outer.prefix > inner.prefix) return false
  return cidrOf(inner.family, inner.address, outer.prefix).address === outer.address
}

/** Two ranges meet only when one lies within the other. */
export function overlaps(a: Cidr, b: Cidr): boolean {
  return covers(a, b) || covers(b, a)
}

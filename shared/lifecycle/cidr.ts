/** Address ranges, exactly: an address is a whole number of 32 or 128 bits. */

export interface Cidr {
  readonly family: 'IPv4' | 'IPv6'
  /** The network address; host bits are always clear. */
  readonly address: bigint
  readonly prefix: number
}

const GROUPS = 8
const BITS = { IPv4: 32, IPv6: 128 } as const

export const bitsOf = ({ family }: Pick<Cidr, 'family'>): number => BITS[family]

/** Undefined for anything that is not a range. Host bits are allowed and cleared: nodes are found with them. */
export function parseCidr(text: string): Cidr | undefined {
  const [, host = '', mask = ''] = /^([0-9a-fA-F:.]+)\/(0|[1-9][0-9]{0,2})$/.exec(text) ?? []
  const family = host.includes(':') ? 'IPv6' : 'IPv4'
  const address = family === 'IPv6' ? parseIPv6(host) : parseIPv4(host)
  const prefix = Number(mask)
  if (address === undefined || mask === '' || prefix > BITS[family]) return undefined
  return cidrOf(family, address, prefix)
}

export function cidrOf(family: Cidr['family'], address: bigint, prefix: number): Cidr {
  const hostBits = BigInt(BITS[family] - prefix)
  return { family, address: (address >> hostBits) << hostBits, prefix }
}

function parseIPv4(text: string): bigint | undefined {
  const parts = text.split('.')
  // A leading zero means octal to some readers and nothing to others, so it means nothing here.
  const isByte = (part: string) => /^(0|[1-9][0-9]{0,2})$/.test(part) && Number(part) < 256
  if (parts.length !== 4 || !parts.every(isByte)) return undefined
  return parts.reduce((sum, part) => (sum << 8n) | BigInt(part), 0n)
}

function parseIPv6(text: string): bigint | undefined {
  const halves = withHexTail(text)?.split('::') ?? []
  if (halves.length === 0 || halves.length > 2) return undefined
  const [head = [], tail = []] = halves.map((half) => (half === '' ? [] : half.split(':')))

  const missing = GROUPS - head.length - tail.length
  // "::" stands for at least one group of zeros; without it every group must be written.
  if (halves.length === 2 ? missing < 1 : missing !== 0) return undefined
  const groups = [...head, ...Array<string>(missing).fill('0'), ...tail]
  if (!groups.every((group) => /^[0-9a-fA-F]{1,4}$/.test(group))) return undefined
  return groups.reduce((sum, group) => (sum << 16n) | BigInt(`0x${group}`), 0n)
}

/** `::ffff:10.0.0.1` as `::ffff:a00:1`. */
function withHexTail(text: string): string | undefined {
  if (!text.includes('.')) return text
  const cut = text.lastIndexOf(':') + 1
  const tail = parseIPv4(text.slice(cut))
  if (tail === undefined) return undefined
  return `${text.slice(0, cut)}${(tail >> 16n).toString(16)}:${(tail & 0xffffn).toString(16)}`
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

/**
 * Networks as whole numbers: which lies within which. Kube's parser keeps host bits; here they are
 * clear.
 */
import { ADDRESS_BITS, type Cidr, parseCidr } from '../../kube/cidr.ts'

export const bitsOf = ({ family }: Pick<Cidr, 'family'>): number => ADDRESS_BITS[family]

/** Undefined for anything that is not a range. Host bits are cleared: nodes are found with them. */
export function parseNetwork(text: string): Cidr | undefined {
  const read = parseCidr(text)
  // A leading zero means octal to some readers and nothing to others, so it means nothing here.
  if (!read || read.leadingZeros) return undefined
  return networkOf(read.family, read.address, read.prefix)
}

export function networkOf(family: Cidr['family'], address: bigint, prefix: number): Cidr {
  const hostBits = BigInt(ADDRESS_BITS[family] - prefix)
  return { family, address: (address >> hostBits) << hostBits, prefix }
}

export function covers(outer: Cidr, inner: Cidr): boolean {
  if (outer.family !== inner.family || outer.prefix > inner.prefix) return false
  return networkOf(inner.family, inner.address, outer.prefix).address === outer.address
}

/** Two ranges meet only when one lies within the other. */
export function overlaps(a: Cidr, b: Cidr): boolean {
  return covers(a, b) || covers(b, a)
}

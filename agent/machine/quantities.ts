/** Arithmetic with resource quantities. */
import { compareQuantities, formatQuantity, parseQuantity } from '../../shared/kube/quantity.ts'

const NANO = 1_000_000_000n

/** Bytes and counts; fractions are cut off. */
export function quantityValue(text: string): number {
  return Number(known(text).nano / NANO)
}

export const bytesQuantity = (bytes: number): string =>
  formatQuantity({ nano: BigInt(Math.trunc(bytes)) * NANO, format: 'binary' })

/** a - b, written as a was unless told, and never below zero. */
export function lessOrZero(a: string, b: string, as?: 'binary'): string {
  const { nano, format } = known(a)
  const rest = nano - known(b).nano
  return formatQuantity({ nano: rest > 0n ? rest : 0n, format: as ?? format })
}

export function isSameQuantity(a: string, b: string): boolean {
  const [left, right] = [parseQuantity(a), parseQuantity(b)]
  return left && right ? compareQuantities(left, right) === 0 : a === b
}

function known(text: string) {
  const quantity = parseQuantity(text)
  if (!quantity) throw new Error(`"${text}" is not a quantity such as 100Mi or 2`)
  return quantity
}

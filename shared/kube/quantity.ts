/**
 * How much is `1.5Gi`? Quantities are exact: a count of billionths in a BigInt, as fine as
 * Kubernetes goes. What is finer is rounded away from zero, what is beyond 64 bits stays at the
 * edge, both as in Kubernetes.
 */

interface Quantity {
  readonly nano: bigint
  /** How it was written decides how it is written again. */
  readonly format: 'decimal' | 'binary' | 'exponent'
}

const NANO = 1_000_000_000n
const MAX_NANO = (2n ** 63n - 1n) * NANO
/** Longer than any honest number; bounds the work before BigInt sees the digits. */
const MAX_LENGTH = 64
/** Beyond these powers of ten every value is at the edge or a billionth. */
const MAX_POWER = 100

const SYNTAX = /^([+-]?)(\d*)(?:\.(\d*))?(?:([eE])([+-]?\d{1,9})|([KMGTPE]i|[numkMGTPE]))?$/

const DECIMAL_POWERS: Readonly<Record<string, number>> = {
  n: -9,
  u: -6,
  m: -3,
  '': 0,
  k: 3,
  M: 6,
  G: 9,
  T: 12,
  P: 15,
  E: 18,
}
const DECIMAL_SUFFIXES = Object.keys(DECIMAL_POWERS)
const BINARY_SUFFIXES = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei']

export function parseQuantity(text: string): Quantity | undefined {
  if (text.length > MAX_LENGTH) return undefined
  const match = SYNTAX.exec(text)
  if (!match) return undefined
  const [, sign, whole = '', fraction = '', exponentMark, exponent, suffix = ''] = match
  if (whole + fraction === '') return undefined

  const digits = BigInt(whole + fraction)
  const isBinary = suffix.endsWith('i')
  const power = exponentMark ? Number(exponent) : (DECIMAL_POWERS[suffix] ?? 0)
  const factor = isBinary ? 1024n ** BigInt(BINARY_SUFFIXES.indexOf(suffix)) : 1n
  const nano = toNano(digits * factor, power - fraction.length)
  return {
    nano: sign === '-' ? -nano : nano,
    format: exponentMark ? 'exponent' : isBinary ? 'binary' : 'decimal',
  }
}

/** digits * 10^power, in billionths. */
function toNano(digits: bigint, power: number): bigint {
  if (digits === 0n) return 0n
  if (power > MAX_POWER) return MAX_NANO
  if (power < -MAX_LENGTH - MAX_POWER) return 1n
  const shift = power + 9
  const nano = shift >= 0 ? digits * 10n ** BigInt(shift) : divideUp(digits, 10n ** BigInt(-shift))
  if (nano > MAX_NANO) return MAX_NANO
  return nano
}

const divideUp = (value: bigint, by: bigint): bigint => (value + by - 1n) / by

export function compareQuantities(a: Quantity, b: Quantity): -1 | 0 | 1 {
  if (a.nano === b.nano) return 0
  return a.nano < b.nano ? -1 : 1
}

export const isNegative = (quantity: Quantity): boolean => quantity.nano < 0n

export const isWhole = (quantity: Quantity): boolean => quantity.nano % NANO === 0n

/** As Kubernetes writes this amount: no fraction, the largest suffix that loses nothing. */
export function canonicalQuantity(text: string): string | undefined {
  const quantity = parseQuantity(text)
  return quantity && formatQuantity(quantity)
}

export function formatQuantity(quantity: Quantity): string {
  const { nano, format } = quantity
  const sign = nano < 0n ? '-' : ''
  const size = nano < 0n ? -nano : nano
  if (size === 0n) return '0'
  // Small or fractional amounts are written in decimal even when they came with a binary suffix.
  const fitsBinary = size >= 1024n * NANO && isWhole(quantity)
  if (format === 'binary' && fitsBinary) return sign + formatBinary(size / NANO)
  return sign + formatDecimal(size, format)
}

function formatBinary(value: bigint): string {
  let [rest, step] = [value, 0]
  while (rest % 1024n === 0n && step < BINARY_SUFFIXES.length - 1) {
    rest /= 1024n
    step++
  }
  return `${rest}${BINARY_SUFFIXES[step]}`
}

function formatDecimal(nano: bigint, format: Quantity['format']): string {
  let [rest, step] = [nano, 0]
  while (rest % 1000n === 0n && step < DECIMAL_SUFFIXES.length - 1) {
    rest /= 1000n
    step++
  }
  const power = step * 3 - 9
  if (format !== 'exponent') return `${rest}${DECIMAL_SUFFIXES[step]}`
  return power === 0 ? `${rest}` : `${rest}e${power}`
}

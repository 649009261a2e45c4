/**
 * KMS answers an ECDSA signature as DER (SEQUENCE of two INTEGERs); a JWT wants r and s side by
 * side, 32 bytes each.
 */

const SEQUENCE = 0x30
const INTEGER = 0x02
const PART_BYTES = 32

export function joseSignature(der: Uint8Array): Uint8Array {
  // A P-256 signature is at most 72 bytes, so every length fits one byte.
  if (der[0] !== SEQUENCE || der[1] !== der.length - 2) throw notDer()
  const r = integerAt(der, 2)
  const s = integerAt(der, r.end)
  if (s.end !== der.length) throw notDer()
  const jose = new Uint8Array(2 * PART_BYTES)
  jose.set(r.bytes, PART_BYTES - r.bytes.length)
  jose.set(s.bytes, 2 * PART_BYTES - s.bytes.length)
  return jose
}

function integerAt(der: Uint8Array, start: number) {
  const length = der[start + 1] ?? 0
  const end = start + 2 + length
  if (der[start] !== INTEGER || length === 0 || end > der.length) throw notDer()
  // A leading zero only says that the number is positive.
  const bytes = der.subarray(der[start + 2] === 0 ? start + 3 : start + 2, end)
  if (bytes.length > PART_BYTES) throw notDer()
  return { bytes, end }
}

const notDer = () => new Error('the signature is not a DER signature of a P-256 key')

/**
 * The bytes of protobuf, knowing nothing of Kubernetes: varints and length-prefixed pieces, every
 * read checked against the end of the message.
 */
import { badRequest } from '../status-error.ts'

const VARINT = 0
const BYTES = 2

/** One field of a message: a number for a varint, the bytes for everything with a length. */
export interface WireField {
  readonly number: number
  readonly value: number | Uint8Array
}

export const malformed = (why: string) => badRequest(`protobuf parse error: ${why}`)

/** All fields of a message, in order. Fixed-width fields, which no kind here has, are skipped. */
export function* readFields(message: Uint8Array): Generator<WireField> {
  let at = 0
  while (at < message.length) {
    const tag = readVarint(message, at)
    const number = Math.floor(tag.value / 8)
    const kind = tag.value - number * 8
    if (number < 1 || number > MAX_FIELD_NUMBER) throw malformed('a field has no valid number')
    if (kind === VARINT) {
      const { value, end } = readVarint(message, tag.end)
      yield { number, value }
      at = end
    } else if (kind === BYTES) {
      const { value, end } = readBytes(message, tag.end)
      yield { number, value }
      at = end
    } else at = skipFixed(message, tag.end, kind)
  }
}

const MAX_FIELD_NUMBER = 2 ** 29 - 1
const MAX_VARINT_BYTES = 10

interface Read<T> {
  readonly value: T
  readonly end: number
}

function readVarint(message: Uint8Array, start: number): Read<number> {
  let value = 0
  for (let size = 0; size < MAX_EXACT_BYTES; size++) {
    const byte = message[start + size]
    if (byte === undefined) throw malformed('the message is cut off')
    value += (byte & 0x7f) * 2 ** (7 * size)
    if (byte < 0x80) return { value, end: start + size + 1 }
  }
  return readLongVarint(message, start)
}

/** Seven bytes hold 49 bits, which a double adds up exactly. Longer ones are mostly negative. */
const MAX_EXACT_BYTES = 7

function readLongVarint(message: Uint8Array, start: number): Read<number> {
  let value = 0n
  for (let size = 0; size < MAX_VARINT_BYTES; size++) {
    const byte = message[start + size]
    if (byte === undefined) throw malformed('the message is cut off')
    value |= BigInt(byte & 0x7f) << BigInt(7 * size)
    if (byte < 0x80) return { value: Number(BigInt.asIntN(64, value)), end: start + size + 1 }
  }
  throw malformed('a number has more than ten bytes')
}

function readBytes(message: Uint8Array, start: number): Read<Uint8Array> {
  const length = readVarint(message, start)
  const end = length.end + length.value
  if (length.value < 0 || end > message.length) throw malformed('the message is cut off')
  return { value: message.subarray(length.end, end), end }
}

function skipFixed(message: Uint8Array, start: number, kind: number): number {
  if (kind !== 1 && kind !== 5) throw malformed(`wire type ${kind} is not used by Kubernetes`)
  const end = start + (kind === 1 ? 8 : 4)
  if (end > message.length) throw malformed('the message is cut off')
  return end
}

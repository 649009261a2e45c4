/**
 * Protobuf as a Go client would write it: every plain member, set or not; pointers only when set.
 * The service itself answers in JSON; tests that play a Go client write with this.
 */
import { isObject } from '../../../../shared/kube/json.ts'
import { fieldsByNumber, MAGIC } from '../../../../shared/kube/protobuf/decode.ts'
import type { Field, ObjectSchema, Schema } from '../../../../shared/kube/schema.ts'
import { parseTimeMs } from '../../../../shared/kube/time.ts'

type Members = Readonly<Record<string, unknown>>

export function encodeProtobuf(schema: ObjectSchema, object: Members): Uint8Array {
  const typeMeta = [...text(1, object.apiVersion), ...text(2, object.kind)]
  const raw = encodeMessage(schema, object)
  return Uint8Array.from([
    ...MAGIC,
    ...writeBytes(1, typeMeta),
    ...writeBytes(2, raw),
    ...text(3, ''),
    ...text(4, ''),
  ])
}

function encodeMessage(schema: ObjectSchema, object: Members): number[] {
  const bytes: number[] = []
  for (const [number, { name, field }] of fieldsByNumber(schema)) {
    bytes.push(
      ...encodeField(number, field, Object.hasOwn(object, name) ? object[name] : undefined),
    )
  }
  return bytes
}

function encodeField(number: number, field: Field, value: unknown): number[] {
  const { schema } = field
  if (schema.type === 'list') {
    const elements = Array.isArray(value) ? value : []
    return elements.flatMap((element) => encodeValue(number, schema.of, element))
  }
  if (schema.type === 'map') {
    return Object.entries(isObject(value) ? value : {}).flatMap(([key, member]) =>
      writeBytes(number, [...text(1, key), ...encodeValue(2, schema.of, member)]),
    )
  }
  if (field.pointer && (value === undefined || value === null)) return []
  return encodeValue(number, schema, value)
}

function encodeValue(number: number, schema: Schema, value: unknown): number[] {
  switch (schema.type) {
    case 'object':
      return writeBytes(number, encodeMessage(schema, isObject(value) ? value : {}))
    case 'boolean':
      return writeVarint(number, value === true ? 1 : 0)
    case 'int32':
    case 'int64':
      return writeVarint(number, typeof value === 'number' ? value : 0)
    case 'time':
    case 'microTime':
      return writeBytes(number, typeof value === 'string' ? encodeTime(value) : [])
    case 'quantity':
      return writeBytes(number, text(1, value))
    case 'intOrString': {
      const isText = typeof value === 'string'
      const parts = isText ? text(3, value) : writeVarint(2, Number(value ?? 0))
      return writeBytes(number, [...writeVarint(1, Number(isText)), ...parts])
    }
    case 'any':
      return writeBytes(number, text(1, JSON.stringify(value)))
    default:
      return text(number, value)
  }
}

function encodeTime(value: string): number[] {
  const seconds = Math.floor((parseTimeMs(value) ?? 0) / 1000)
  const fraction = /\.(\d+)/.exec(value)?.[1] ?? ''
  return [
    ...writeVarint(1, seconds),
    ...writeVarint(2, Number(fraction.padEnd(9, '0').slice(0, 9))),
  ]
}

const utf8 = new TextEncoder()

const text = (number: number, value: unknown): number[] =>
  writeBytes(number, utf8.encode(typeof value === 'string' ? value : ''))

/** The wire type of a field; that of a varint is 0. */
const LENGTH_PREFIXED = 2

export const writeVarint = (number: number, value: bigint | number): number[] => [
  ...varint(number * 8),
  ...varint(value),
]

export const writeBytes = (number: number, bytes: Uint8Array | readonly number[]): number[] => [
  ...varint(number * 8 + LENGTH_PREFIXED),
  ...varint(bytes.length),
  ...bytes,
]

/** Negative numbers take ten bytes, as protobuf's int32 and int64 do. */
function varint(value: bigint | number): number[] {
  const bytes: number[] = []
  let rest = BigInt.asUintN(64, BigInt(value))
  while (rest > 0x7fn) {
    bytes.push(Number(rest & 0x7fn) | 0x80)
    rest >>= 7n
  }
  return [...bytes, Number(rest)]
}

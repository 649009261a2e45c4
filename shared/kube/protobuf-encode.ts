/**
 * Protobuf as a Go client would write it: every plain member, set or not; pointers only when set.
 * The service itself answers in JSON; this is for whoever plays a Go client.
 */
import { isObject } from './json.ts'
import { fieldsByNumber, MAGIC } from './protobuf.ts'
import { writeBytes, writeVarint } from './protobuf-wire.ts'
import type { Field, ObjectSchema, Schema } from './schema.ts'
import { parseTimeMs } from './time.ts'

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
    case 'intOrString':
      return writeBytes(number, encodeIntOrString(value))
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

function encodeIntOrString(value: unknown): number[] {
  const isText = typeof value === 'string'
  return [
    ...writeVarint(1, isText ? 1 : 0),
    ...writeVarint(2, isText ? 0 : Number(value)),
    ...text(3, isText ? value : ''),
  ]
}

const utf8 = new TextEncoder()

const text = (number: number, value: unknown): number[] =>
  writeBytes(number, utf8.encode(typeof value === 'string' ? value : ''))

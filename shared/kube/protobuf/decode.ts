/**
 * Go clients send protobuf. The schemas that check JSON also say which number is which field, so a
 * message becomes the JSON object it stands for. Answers are always JSON.
 */
import { parseJson, setOwn } from '../json.ts'
import type { Field, ObjectSchema, ScalarSchema, Schema } from '../schema.ts'
import { formatTime } from '../time.ts'
import { malformed, readFields, type WireField } from './wire.ts'

/** `k8s` and a zero byte open every protobuf body. */
export const MAGIC = Uint8Array.of(0x6b, 0x38, 0x73, 0x00)

type SchemaFor = (apiVersion: string, kind: string) => ObjectSchema | undefined

/** Pods have no field numbers here: they reach 137 messages. */
export const speaksProtobuf = (schema: ObjectSchema): boolean =>
  Object.values(schema.fields).some((field) => field.proto !== undefined)

export function decodeProtobuf(bytes: Uint8Array, schemaFor: SchemaFor): Record<string, unknown> {
  if (!MAGIC.every((byte, index) => bytes[index] === byte)) {
    throw malformed('the body does not begin with the Kubernetes prefix')
  }
  const envelope = readEnvelope(bytes.subarray(MAGIC.length))
  const schema = schemaFor(envelope.apiVersion, envelope.kind)
  if (!schema) throw malformed(`no kind ${JSON.stringify(envelope.kind.slice(0, 64))} is read here`)
  const { apiVersion, kind, raw } = envelope
  return { apiVersion, kind, ...decodeMessage(schema, raw) }
}

interface Envelope {
  apiVersion: string
  kind: string
  raw: Uint8Array
}

function readEnvelope(message: Uint8Array): Envelope {
  const envelope: Envelope = { apiVersion: '', kind: '', raw: new Uint8Array() }
  for (const field of readFields(message)) {
    if (field.number === 1) Object.assign(envelope, readTypeMeta(bytesOf(field)))
    else if (field.number === 2) envelope.raw = bytesOf(field)
    else if (field.number === 3 && textOf(field) !== '') throw malformed('the body is compressed')
  }
  return envelope
}

function readTypeMeta(message: Uint8Array): Partial<Envelope> {
  const meta: Partial<Envelope> = {}
  for (const field of readFields(message)) {
    if (field.number === 1) meta.apiVersion = textOf(field)
    else if (field.number === 2) meta.kind = textOf(field)
  }
  return meta
}

type Members = Record<string, unknown>

function decodeMessage(schema: ObjectSchema, message: Uint8Array): Members {
  const members: Members = {}
  const numbered = fieldsByNumber(schema)
  for (const wire of readFields(message)) {
    const known = numbered.get(wire.number)
    if (known) addMember(members, known.name, known.field, wire)
  }
  return members
}

function addMember(members: Members, name: string, field: Field, wire: WireField): void {
  const { schema } = field
  if (schema.type === 'list') {
    members[name] ??= []
    ;(members[name] as unknown[]).push(decodeValue(schema.of, wire))
  } else if (schema.type === 'map') {
    members[name] ??= {}
    addEntry(members[name] as Members, schema.of, bytesOf(wire))
  } else {
    const value = decodeValue(schema, wire)
    if (value === undefined) return
    // Go writes every plain member, set or not; only a pointer's zero was meant.
    if (field.pointer || !isZero(value)) members[name] = value
    else delete members[name]
  }
}

function addEntry(map: Members, of: Schema, message: Uint8Array): void {
  let key = ''
  let value: unknown = ''
  for (const wire of readFields(message)) {
    if (wire.number === 1) key = textOf(wire)
    else if (wire.number === 2) value = decodeValue(of, wire)
  }
  setOwn(map, key, value)
}

function isZero(value: unknown): boolean {
  if (typeof value === 'object' && value !== null) return Object.keys(value).length === 0
  return value === '' || value === 0 || value === false
}

function decodeValue(schema: Schema, wire: WireField): unknown {
  if (schema.type === 'object') return decodeMessage(schema, bytesOf(wire))
  if (schema.type === 'list' || schema.type === 'map') throw malformed('a list stands in a list')
  return decodeScalar(schema.type, wire)
}

function decodeScalar(type: ScalarSchema['type'], wire: WireField): unknown {
  switch (type) {
    case 'string':
      return textOf(wire)
    case 'boolean':
      return integerOf(wire) !== 0
    case 'int32':
    case 'int64':
      return integerOf(wire)
    case 'time':
    case 'microTime':
      return decodeTime(type, bytesOf(wire))
    case 'quantity':
      return wrappedText(bytesOf(wire))
    case 'intOrString':
      return decodeIntOrString(bytesOf(wire))
    case 'any':
      return decodeRawJson(wrappedText(bytesOf(wire)))
  }
}

const MIN_SECONDS = Date.parse('0000-01-01T00:00:00Z') / 1000
const MAX_SECONDS = Date.parse('9999-12-31T23:59:59Z') / 1000

/** An empty message is a time that was not set, as opposed to the beginning of 1970. */
function decodeTime(type: 'time' | 'microTime', message: Uint8Array): string | undefined {
  if (message.length === 0) return undefined
  let [seconds, nanos] = [0, 0]
  for (const wire of readFields(message)) {
    if (wire.number === 1) seconds = integerOf(wire)
    else if (wire.number === 2) nanos = integerOf(wire)
  }
  if (seconds < MIN_SECONDS || seconds > MAX_SECONDS || nanos < 0 || nanos > 999_999_999) {
    throw malformed('a time is out of range')
  }
  const text = formatTime(seconds * 1000)
  if (type === 'time') return text
  return `${text.slice(0, -1)}.${String(Math.floor(nanos / 1000)).padStart(6, '0')}Z`
}

function wrappedText(message: Uint8Array): string {
  let text = ''
  for (const wire of readFields(message)) if (wire.number === 1) text = textOf(wire)
  return text
}

/** Go sends both members; the first says which of them is meant. */
function decodeIntOrString(message: Uint8Array): number | string {
  let [isText, number, text] = [false, 0, '']
  for (const wire of readFields(message)) {
    if (wire.number === 1) isText = integerOf(wire) === 1
    else if (wire.number === 2) number = integerOf(wire)
    else if (wire.number === 3) text = textOf(wire)
  }
  return isText ? text : number
}

const decodeRawJson = (text: string): unknown => (text === '' ? undefined : parseJson(text))

function integerOf({ value }: WireField): number {
  if (typeof value !== 'number') throw malformed('a number was expected')
  return value
}

function bytesOf({ value }: WireField): Uint8Array {
  if (typeof value === 'number') throw malformed('a message or text was expected')
  return value
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

function textOf(wire: WireField): string {
  const bytes = bytesOf(wire)
  // Go writes empty strings too, and the decoder is not cheap.
  if (bytes.length === 0) return ''
  try {
    return utf8.decode(bytes)
  } catch (error) {
    if (error instanceof TypeError) throw malformed('a text is not valid UTF-8')
    throw error
  }
}

interface NamedField {
  readonly name: string
  readonly field: Field
}

const numberings = new WeakMap<ObjectSchema, ReadonlyMap<number, NamedField>>()

export function fieldsByNumber(schema: ObjectSchema): ReadonlyMap<number, NamedField> {
  let numbering = numberings.get(schema)
  if (numbering) return numbering
  numbering = new Map(
    Object.entries(schema.fields).flatMap(([name, field]) =>
      field.proto === undefined ? [] : [[field.proto, { name, field }] as const],
    ),
  )
  numberings.set(schema, numbering)
  return numbering
}

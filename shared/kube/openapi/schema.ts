/** Our schemas as OpenAPI schemas, for `kubectl explain` and generators. */
import type { Field, ObjectSchema, ScalarSchema, Schema } from '../schema.ts'

type Json = Readonly<Record<string, unknown>>

const SCALARS: Readonly<Record<ScalarSchema['type'], Json>> = {
  string: { type: 'string' },
  boolean: { type: 'boolean' },
  int32: { type: 'integer', format: 'int32' },
  int64: { type: 'integer', format: 'int64' },
  time: { type: 'string', format: 'date-time' },
  microTime: { type: 'string', format: 'date-time' },
  quantity: { type: 'string', format: 'quantity' },
  intOrString: { oneOf: [{ type: 'integer' }, { type: 'string' }], format: 'int-or-string' },
  any: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
}

/** Every object that these roots reach, by name: references point into this set only. */
export function componentSchemas(roots: readonly ObjectSchema[]): Record<string, Json> {
  const found = new Map<string, ObjectSchema>()
  for (const root of roots) collect(root, found)
  return Object.fromEntries(
    [...found].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, one]) => [name, objectSchema(one)]),
  )
}

function collect(schema: Schema, found: Map<string, ObjectSchema>): void {
  if (schema.type === 'list' || schema.type === 'map') {
    collect(schema.of, found)
  } else if (schema.type === 'object' && !found.has(schema.name)) {
    found.set(schema.name, schema)
    for (const { schema: member } of Object.values(schema.fields)) collect(member, found)
  }
}

function objectSchema({ doc, fields }: ObjectSchema): Json {
  const members = Object.entries(fields)
  const required = members.filter(([, field]) => field.required).map(([name]) => name)
  return {
    description: doc,
    type: 'object',
    properties: Object.fromEntries(members.map(([name, field]) => [name, property(field)])),
    ...(required.length > 0 && { required }),
  }
}

function property({ schema, doc }: Field): Json {
  // A reference may not have siblings in OpenAPI 3.0, so a described one is wrapped. Explain prints
  // both texts.
  if (schema.type === 'object') {
    return { ...(doc !== schema.doc && { description: doc }), allOf: [reference(schema)] }
  }
  return { description: doc, ...inline(schema) }
}

const reference = ({ name }: ObjectSchema): Json => ({ $ref: `#/components/schemas/${name}` })

function inline(schema: Schema): Json {
  if (schema.type === 'object') return reference(schema)
  if (schema.type === 'map') return { type: 'object', additionalProperties: inline(schema.of) }
  if (schema.type !== 'list') return SCALARS[schema.type]
  const { of, mergeKey, set } = schema
  return {
    type: 'array',
    items: inline(of),
    ...(mergeKey && { 'x-kubernetes-patch-merge-key': mergeKey }),
    ...((mergeKey || set) && { 'x-kubernetes-patch-strategy': 'merge' }),
  }
}

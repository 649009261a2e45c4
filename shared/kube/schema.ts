/**
 * What does a kind look like? One schema per kind drives decoding (types, unknown fields),
 * strategic merge (merge keys), protobuf (field numbers) and OpenAPI (`kubectl explain`).
 */

export type Schema = ScalarSchema | ObjectSchema | MapSchema | ListSchema

export interface ScalarSchema {
  readonly type:
    | 'string'
    | 'boolean'
    | 'int32'
    | 'int64'
    | 'time' // RFC 3339 to the second
    | 'microTime' // RFC 3339 with six digits
    | 'quantity'
    | 'intOrString' // a port by its number or its name
    | 'any' // kept as it came: managedFields' fieldsV1, parts of a pod that are not read here
}

export interface ObjectSchema {
  readonly type: 'object'
  /** OpenAPI name, as in Kubernetes: `io.k8s.api.coordination.v1.LeaseSpec`. */
  readonly name: string
  readonly doc: string
  readonly fields: Readonly<Record<string, Field>>
}

interface MapSchema {
  readonly type: 'map'
  readonly of: Schema
}

interface ListSchema {
  readonly type: 'list'
  readonly of: Schema
  /** Strategic merge: elements are matched by this member. Without it the list is replaced. */
  readonly mergeKey?: string
  /** Strategic merge: a set of plain values, merged and not replaced. */
  readonly set?: true
}

export interface Field {
  readonly schema: Schema
  readonly doc: string
  readonly required?: true
  /** Protobuf field number; a field without one is never sent in protobuf. */
  readonly proto?: number
  /** A pointer in Go: in protobuf its zero value counts. Others' zero values mean absent. */
  readonly pointer?: true
}

export const string: ScalarSchema = { type: 'string' }
export const boolean: ScalarSchema = { type: 'boolean' }
export const int32: ScalarSchema = { type: 'int32' }
export const int64: ScalarSchema = { type: 'int64' }
export const time: ScalarSchema = { type: 'time' }
export const microTime: ScalarSchema = { type: 'microTime' }
export const quantity: ScalarSchema = { type: 'quantity' }
export const intOrString: ScalarSchema = { type: 'intOrString' }
export const any: ScalarSchema = { type: 'any' }

type Fields = Readonly<Record<string, Field>>

export const object = (name: string, doc: string, fields: Fields): ObjectSchema => ({
  type: 'object',
  name,
  doc,
  fields,
})

export const mapOf = (of: Schema): MapSchema => ({ type: 'map', of })
/** Replaced whole by a patch. */
export const listOf = (of: Schema): ListSchema => ({ type: 'list', of })
export const listBy = (mergeKey: string, of: Schema): ListSchema => ({ type: 'list', of, mergeKey })
export const setOf = (of: Schema): ListSchema => ({ type: 'list', of, set: true })

/** The four ways a member is declared; the number is its protobuf field. */
export const field = (proto: number, schema: Schema, doc: string): Field => ({ schema, doc, proto })
export const pointer = (proto: number, schema: Schema, doc: string): Field => ({
  schema,
  doc,
  proto,
  pointer: true,
})
export const required = (proto: number, schema: Schema, doc: string): Field => ({
  schema,
  doc,
  proto,
  required: true,
})
/** Never in protobuf: what the envelope carries instead, and the kinds only spoken in JSON. */
export const unnumbered = (schema: Schema, doc: string): Field => ({ schema, doc })

/** `LeaseSpec` of `io.k8s.api.coordination.v1.LeaseSpec`: what Go would call it. */
export const shortName = (schema: ObjectSchema): string =>
  schema.name.slice(schema.name.lastIndexOf('.') + 1)

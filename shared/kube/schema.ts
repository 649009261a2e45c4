/**
 * What does a kind look like? One description per kind drives five readers: decoding (types, unknown
 * fields), strategic merge (merge keys), protobuf (field numbers), OpenAPI (`kubectl explain`) and docs.
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
    | 'intOrString'
    | 'any' // kept as it came: managedFields' fieldsV1, parts of a pod nobody here reads
}

export interface ObjectSchema {
  readonly type: 'object'
  /** OpenAPI name, as in Kubernetes: `io.k8s.api.coordination.v1.LeaseSpec`. */
  readonly name: string
  readonly doc: string
  readonly fields: Readonly<Record<string, Field>>
}

export interface MapSchema {
  readonly type: 'map'
  readonly of: Schema
}

export interface ListSchema {
  readonly type: 'list'
  readonly of: Schema
  /** Strategic merge: elements are matched by this member. Without it the list is replaced whole. */
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

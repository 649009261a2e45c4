/** Errors for values that do not fit their kind, in Go's words, which users can look up. */
import type { ObjectSchema, Schema } from '../schema.ts'
import { shortName } from '../schema.ts'
import { badRequest } from '../status-error.ts'

/** Where the decoder is. The path is only turned into text for an error. */
export interface Position {
  readonly path: (string | number)[]
  readonly unknown: string[]
  /** Counted, because not every format is bounded before it is decoded. */
  values: number
  readonly root: ObjectSchema
  /** The object whose member is being read: Go names it in its messages. */
  owner: ObjectSchema
}

export function typeError(at: Position, value: unknown, type: string) {
  return decodeError(at, `json: cannot unmarshal ${jsonType(value)} into ${goField(at)}${type}`)
}

export function decodeError(at: Position, why: string) {
  const kind = shortName(at.root)
  return badRequest(`${kind} in version "v1" cannot be handled as a ${kind}: ${why}`)
}

/**
 * `Go struct field LeaseSpec.spec.leaseDurationSeconds of type `: list positions are left out, as
 * Go does.
 */
export function goField(at: Position): string {
  if (at.path.length === 0) return 'Go value of type v1.'
  const names = at.path.filter((step) => typeof step === 'string')
  return `Go struct field ${shortName(at.owner)}.${names.join('.')} of type `
}

export function goType(schema: Schema): string {
  switch (schema.type) {
    case 'object':
      return `v1.${shortName(schema)}`
    case 'map':
      return `map[string]${goType(schema.of)}`
    case 'list':
      return `[]${goType(schema.of)}`
    case 'boolean':
      return 'bool'
    case 'time':
      return 'v1.Time'
    case 'microTime':
      return 'v1.MicroTime'
    case 'quantity':
      return 'resource.Quantity'
    case 'intOrString':
      return 'intstr.IntOrString'
    case 'any':
      return 'interface {}'
    default:
      return schema.type
  }
}

function jsonType(value: unknown): string {
  if (value === null || value === undefined) return 'null'
  if (Array.isArray(value)) return 'array'
  return typeof value === 'boolean' ? 'bool' : typeof value
}

export function pathText(path: readonly (string | number)[]): string {
  return path
    .map((step) => (typeof step === 'number' ? `[${step}]` : `.${step}`))
    .join('')
    .slice(1)
}

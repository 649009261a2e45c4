/**
 * Is this value an object of that kind? Checks every type against the schema, leaves out what the
 * schema does not know (and says where), and brings times and quantities into the form they are
 * stored in.
 */

import { isObject, MAX_VALUES, setOwn, tooManyValues } from '../json.ts'
import { canonicalQuantity } from '../quantity.ts'
import type { Field, ObjectSchema, ScalarSchema, Schema } from '../schema.ts'
import { shortName } from '../schema.ts'
import { normalizeMicroTime, normalizeTime } from '../time.ts'
import type { Position } from './errors.ts'
import { decodeError, goField, goType, pathText, typeError } from './errors.ts'

interface Decoded {
  readonly object: Record<string, unknown>
  /**
   * Paths of the members the schema does not know, such as `spec.foo`; they are not in the object.
   */
  readonly unknown: readonly string[]
}

export function decodeBySchema(schema: ObjectSchema, value: unknown): Decoded {
  const at: Position = { path: [], unknown: [], values: 0, root: schema, owner: schema }
  if (!isObject(value)) throw typeError(at, value, shortName(schema))
  return { object: decodeMembers(at, schema, value), unknown: at.unknown }
}

type Members = Record<string, unknown>

function decodeMembers(at: Position, schema: ObjectSchema, value: Members): Members {
  const outer = at.owner
  at.owner = schema
  const decoded: Members = {}
  for (const key of Object.keys(value)) {
    at.path.push(key)
    const member = value[key]
    // Own fields only: a schema has no member called `constructor` although every object seems to.
    if (!Object.hasOwn(schema.fields, key)) at.unknown.push(pathText(at.path))
    else if (member !== null && member !== undefined) {
      const field = schema.fields[key]!
      const value = decodeValue(at, field.schema, member)
      if (!isLeftOut(field, value)) decoded[key] = value
    }
    at.path.pop()
  }
  at.owner = outer
  return decoded
}

/**
 * Does Go leave this out when it writes? Then it must not be kept either: `annotations: {}` from
 * `kubectl diff` would look like a change. Fields without a number do not say which are pointers,
 * so of them only empty maps and lists go.
 */
function isLeftOut({ schema, proto, pointer, required }: Field, value: unknown): boolean {
  if (pointer || required) return false
  if (schema.type === 'map') return Object.keys(value as Members).length === 0
  if (schema.type === 'list') return (value as unknown[]).length === 0
  if (proto === undefined) return false
  return value === '' || value === 0 || value === false
}

function decodeValue(at: Position, schema: Schema, value: unknown): unknown {
  if (++at.values > MAX_VALUES) throw tooManyValues()
  switch (schema.type) {
    case 'object':
      if (!isObject(value)) throw typeError(at, value, `v1.${shortName(schema)}`)
      return decodeMembers(at, schema, value)
    case 'map':
      if (!isObject(value)) throw typeError(at, value, `map[string]${goType(schema.of)}`)
      return decodeMap(at, schema.of, value)
    case 'list':
      if (!Array.isArray(value)) throw typeError(at, value, `[]${goType(schema.of)}`)
      return decodeList(at, schema.of, value)
    default:
      return decodeScalar(at, schema.type, value)
  }
}

function decodeMap(at: Position, of: Schema, value: Members): Members {
  const decoded: Members = {}
  for (const key of Object.keys(value)) {
    at.path.push(key)
    setOwn(decoded, key, decodeElement(at, of, value[key]))
    at.path.pop()
  }
  return decoded
}

function decodeList(at: Position, of: Schema, value: readonly unknown[]): unknown[] {
  return value.map((element, index) => {
    at.path.push(index)
    const decoded = decodeElement(at, of, element)
    at.path.pop()
    return decoded
  })
}

/**
 * A null member is an absent one, but a null element has a place: Go reads it as the type's zero.
 */
function decodeElement(at: Position, of: Schema, element: unknown): unknown {
  if (element !== null && element !== undefined) return decodeValue(at, of, element)
  return zeroOf(of)
}

function zeroOf(schema: Schema): unknown {
  switch (schema.type) {
    case 'object':
    case 'map':
      return {}
    case 'list':
      return []
    case 'boolean':
      return false
    case 'int32':
    case 'int64':
    case 'intOrString':
      return 0
    case 'quantity':
      return '0'
    case 'any':
      return null
    default:
      return ''
  }
}

function decodeScalar(at: Position, type: ScalarSchema['type'], value: unknown): unknown {
  switch (type) {
    case 'any':
      return value
    case 'boolean':
      if (typeof value !== 'boolean') throw typeError(at, value, 'bool')
      return value
    case 'int32':
    case 'int64':
      return decodeInteger(at, type, value)
    case 'intOrString':
      if (typeof value === 'number') return decodeInteger(at, 'int32', value)
      if (typeof value !== 'string') throw typeError(at, value, goType({ type }))
      return value
    case 'quantity':
      return decodeQuantity(at, value)
    default:
      if (typeof value !== 'string') throw typeError(at, value, goType({ type }))
      return type === 'string' ? value : decodeTime(at, type, value)
  }
}

/**
 * int64 is held to what a double keeps exactly; rounding in silence would be worse than refusing.
 */
const BOUNDS = {
  int32: { min: -(2 ** 31), max: 2 ** 31 - 1 },
  int64: { min: Number.MIN_SAFE_INTEGER, max: Number.MAX_SAFE_INTEGER },
}

function decodeInteger(at: Position, type: 'int32' | 'int64', value: unknown): number {
  if (typeof value !== 'number') throw typeError(at, value, type)
  const { min, max } = BOUNDS[type]
  if (!Number.isInteger(value) || value < min || value > max) {
    throw decodeError(at, `json: cannot unmarshal number ${value} into ${goField(at)}${type}`)
  }
  // Adding zero turns -0, which would be stored as it is, into 0.
  return value + 0
}

/** YAML writers leave out the quotes (`cpu: 4`), and Kubernetes lets them. */
function decodeQuantity(at: Position, value: unknown): string {
  if (typeof value !== 'string' && typeof value !== 'number') {
    throw typeError(at, value, 'resource.Quantity')
  }
  const canonical = canonicalQuantity(String(value))
  if (canonical !== undefined) return canonical
  throw decodeError(
    at,
    `${pathText(at.path)}: quantities must be numbers with an optional suffix such as 500m or 2Gi`,
  )
}

function decodeTime(at: Position, type: 'time' | 'microTime' | string, value: string): string {
  const time = type === 'time' ? normalizeTime(value) : normalizeMicroTime(value)
  if (time !== undefined) return time
  const example = type === 'time' ? '2006-01-02T15:04:05Z' : '2006-01-02T15:04:05.000000Z'
  const shown = JSON.stringify(value.slice(0, 64))
  throw decodeError(at, `parsing time ${shown} of ${pathText(at.path)}: write it like ${example}`)
}

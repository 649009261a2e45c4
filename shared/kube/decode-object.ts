/**
 * Is this value an object of that kind? Checks every type against the schema, leaves out what the
 * schema does not know (and says where), and brings times and quantities into the form they are
 * stored in.
 */
import type { Walk } from './decode-refusal.ts'
import { goField, goType, mistyped, pathText, refused } from './decode-refusal.ts'
import { isObject, setOwn } from './json.ts'
import { canonicalQuantity } from './quantity.ts'
import type { Field, ObjectSchema, ScalarSchema, Schema } from './schema.ts'
import { shortName } from './schema.ts'
import { normalizeMicroTime, normalizeTime } from './time.ts'

export interface Decoded {
  readonly object: Record<string, unknown>
  /**
   * Paths of the members the schema does not know, such as `spec.foo`; they are not in the object.
   */
  readonly unknown: readonly string[]
}

export function decodeObject(schema: ObjectSchema, value: unknown): Decoded {
  const walk: Walk = { path: [], unknown: [], root: schema, owner: schema }
  if (!isObject(value)) throw mistyped(walk, value, shortName(schema))
  return { object: decodeMembers(walk, schema, value), unknown: walk.unknown }
}

type Members = Record<string, unknown>

function decodeMembers(walk: Walk, schema: ObjectSchema, value: Members): Members {
  const outer = walk.owner
  walk.owner = schema
  const decoded: Members = {}
  for (const key of Object.keys(value)) {
    walk.path.push(key)
    const member = value[key]
    // Own fields only: a schema has no member called `constructor` although every object seems to.
    if (!Object.hasOwn(schema.fields, key)) walk.unknown.push(pathText(walk.path))
    else if (member !== null && member !== undefined) {
      const field = schema.fields[key]!
      const value = decodeValue(walk, field.schema, member)
      if (!isLeftOut(field, value)) decoded[key] = value
    }
    walk.path.pop()
  }
  walk.owner = outer
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

function decodeValue(walk: Walk, schema: Schema, value: unknown): unknown {
  switch (schema.type) {
    case 'object':
      if (!isObject(value)) throw mistyped(walk, value, `v1.${shortName(schema)}`)
      return decodeMembers(walk, schema, value)
    case 'map':
      if (!isObject(value)) throw mistyped(walk, value, `map[string]${goType(schema.of)}`)
      return decodeMap(walk, schema.of, value)
    case 'list':
      if (!Array.isArray(value)) throw mistyped(walk, value, `[]${goType(schema.of)}`)
      return decodeList(walk, schema.of, value)
    default:
      return decodeScalar(walk, schema.type, value)
  }
}

function decodeMap(walk: Walk, of: Schema, value: Members): Members {
  const decoded: Members = {}
  for (const key of Object.keys(value)) {
    walk.path.push(key)
    setOwn(decoded, key, decodeElement(walk, of, value[key]))
    walk.path.pop()
  }
  return decoded
}

function decodeList(walk: Walk, of: Schema, value: readonly unknown[]): unknown[] {
  return value.map((element, index) => {
    walk.path.push(index)
    const decoded = decodeElement(walk, of, element)
    walk.path.pop()
    return decoded
  })
}

/**
 * A null member is an absent one, but a null element has a place: Go reads it as the type's zero.
 */
function decodeElement(walk: Walk, of: Schema, element: unknown): unknown {
  if (element !== null && element !== undefined) return decodeValue(walk, of, element)
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

function decodeScalar(walk: Walk, type: ScalarSchema['type'], value: unknown): unknown {
  switch (type) {
    case 'any':
      return value
    case 'boolean':
      if (typeof value !== 'boolean') throw mistyped(walk, value, 'bool')
      return value
    case 'int32':
    case 'int64':
      return decodeInteger(walk, type, value)
    case 'intOrString':
      if (typeof value === 'string') return value
      return decodeInteger(walk, 'int32', value)
    case 'quantity':
      return decodeQuantity(walk, value)
    default:
      if (typeof value !== 'string') throw mistyped(walk, value, goType({ type }))
      return type === 'string' ? value : decodeTime(walk, type, value)
  }
}

/**
 * int64 is held to what a double keeps exactly; rounding in silence would be worse than refusing.
 */
const BOUNDS = {
  int32: { min: -(2 ** 31), max: 2 ** 31 - 1 },
  int64: { min: Number.MIN_SAFE_INTEGER, max: Number.MAX_SAFE_INTEGER },
}

function decodeInteger(walk: Walk, type: 'int32' | 'int64', value: unknown): number {
  if (typeof value !== 'number') throw mistyped(walk, value, type)
  const { min, max } = BOUNDS[type]
  if (!Number.isInteger(value) || value < min || value > max) {
    throw refused(walk, `json: cannot unmarshal number ${value} into ${goField(walk)}${type}`)
  }
  // Adding zero turns -0, which would be stored as it is, into 0.
  return value + 0
}

/** YAML writers leave out the quotes (`cpu: 4`), and Kubernetes lets them. */
function decodeQuantity(walk: Walk, value: unknown): string {
  if (typeof value !== 'string' && typeof value !== 'number') {
    throw mistyped(walk, value, 'resource.Quantity')
  }
  const canonical = canonicalQuantity(String(value))
  if (canonical !== undefined) return canonical
  throw refused(
    walk,
    `${pathText(walk.path)}: quantities must be numbers with an optional suffix such as 500m or 2Gi`,
  )
}

function decodeTime(walk: Walk, type: 'time' | 'microTime' | string, value: string): string {
  const time = type === 'time' ? normalizeTime(value) : normalizeMicroTime(value)
  if (time !== undefined) return time
  const example = type === 'time' ? '2006-01-02T15:04:05Z' : '2006-01-02T15:04:05.000000Z'
  const shown = JSON.stringify(value.slice(0, 64))
  throw refused(walk, `parsing time ${shown} of ${pathText(walk.path)}: write it like ${example}`)
}

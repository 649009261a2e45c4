/**
 * Kubernetes' own patch: like a merge patch, but lists that have a key are merged element by
 * element, and `$` members (directives) say what a merge cannot. No directive is ever stored.
 */
import { isObject, setOwn } from '../json.ts'
import type { Schema } from '../schema.ts'
import { badRequest } from '../status-error.ts'
import {
  DELETIONS,
  directiveOf,
  directivesFor,
  isDirective,
  listIn,
  ORDER,
  RETAIN,
} from './directives.ts'
import { mergeKeyed, mergeSet, orderElements } from './list-merge.ts'

type Members = Record<string, unknown>

/** A strategic patch obeys directives and removes by null; a server-side apply knows neither. */
type Dialect = 'patch' | 'apply'

export function applyStrategicMerge(document: unknown, patch: unknown, schema: Schema): unknown {
  if (!isObject(patch)) throw badRequest('a strategic merge patch is an object')
  return mergeMembers('patch', isObject(document) ? document : {}, patch, schema)
}

/**
 * Server-side apply as a forced merge: what the body names is set, keyed lists are merged, others
 * replaced. Owners of fields are not tracked, so nothing conflicts and nothing disappears by being
 * left out.
 */
export function applyForced(document: unknown, patch: unknown, schema: Schema): unknown {
  if (!isObject(patch)) throw badRequest('the body of an apply is an object')
  const { metadata } = patch
  if (isObject(metadata) && (metadata.managedFields ?? null) !== null) {
    throw badRequest('metadata.managedFields must be nil: leave it out of what you apply')
  }
  return mergeMembers('apply', isObject(document) ? document : {}, patch, schema)
}

function mergeMembers(
  dialect: Dialect,
  original: Members,
  patch: Members,
  schema: Schema | undefined,
): Members {
  if (dialect === 'apply') return mergeInto(dialect, { ...original }, patch, schema)
  const directive = directiveOf(patch)
  if (directive === 'delete') return {}
  if (directive === 'replace') return mergeInto(dialect, {}, patch, schema)

  const merged = retained(original, patch)
  deletePrimitives(merged, patch)
  mergeInto(dialect, merged, patch, schema)
  orderLists(merged, original, patch, schema)
  return merged
}

/** Everything but directives. Changes and returns `merged`, which must be the caller's own copy. */
function mergeInto(
  dialect: Dialect,
  merged: Members,
  patch: Members,
  schema: Schema | undefined,
): Members {
  for (const key of Object.keys(patch)) {
    if (isDirective(key)) continue
    const value = patch[key]
    if (value === null || value === undefined) {
      if (dialect === 'patch') delete merged[key]
      continue
    }
    setOwn(merged, key, mergeValue(dialect, own(merged, key), value, memberOf(schema, key)))
  }
  return merged
}

function mergeValue(
  dialect: Dialect,
  original: unknown,
  patch: unknown,
  schema: Schema | undefined,
): unknown {
  if (isObject(patch)) {
    return mergeMembers(dialect, isObject(original) ? original : {}, patch, schema)
  }
  if (!Array.isArray(patch)) return patch
  const before = Array.isArray(original) ? original : []
  if (schema?.type === 'list' && schema.set) return mergeSet(before, patch)
  if (schema?.type !== 'list' || schema.mergeKey === undefined) return plainList(dialect, patch)
  return mergeKeyed(before, patch, {
    mergeKey: schema.mergeKey,
    directives: dialect === 'patch',
    merge: (element, change) => mergeMembers(dialect, element, change, schema.of),
  })
}

/** A list that is replaced whole is taken as it came, without the directives that stand in it. */
function plainList(dialect: Dialect, list: readonly unknown[]): unknown[] {
  return list
    .filter((element) => !(isObject(element) && Object.hasOwn(element, '$patch')))
    .map((element) => {
      if (Array.isArray(element)) return plainList(dialect, element)
      return isObject(element) ? mergeInto(dialect, {}, element, undefined) : element
    })
}

const own = (members: Members, key: string): unknown =>
  Object.hasOwn(members, key) ? members[key] : undefined

function memberOf(schema: Schema | undefined, key: string): Schema | undefined {
  if (schema?.type === 'map') return schema.of
  if (schema?.type !== 'object' || !Object.hasOwn(schema.fields, key)) return undefined
  return schema.fields[key]?.schema
}

/** `$retainKeys` names all members that may remain; whatever else the object has, goes. */
function retained(original: Members, patch: Members): Members {
  if (!Object.hasOwn(patch, RETAIN)) return { ...original }
  const keep = new Set(listIn(patch, RETAIN))
  const kept: Members = {}
  for (const key of Object.keys(original)) if (keep.has(key)) setOwn(kept, key, original[key])
  return kept
}

function deletePrimitives(merged: Members, patch: Members): void {
  for (const [name, values] of directivesFor(patch, DELETIONS)) {
    const list = own(merged, name)
    const gone = new Set(values)
    if (Array.isArray(list)) {
      setOwn(
        merged,
        name,
        list.filter((element) => !gone.has(element)),
      )
    }
  }
}

function orderLists(
  merged: Members,
  original: Members,
  patch: Members,
  schema: Schema | undefined,
): void {
  for (const [name, order] of directivesFor(patch, ORDER)) {
    const list = own(merged, name)
    const listSchema = memberOf(schema, name)
    if (!Array.isArray(list) || listSchema?.type !== 'list') continue
    // Only a merged list can be out of order: a replaced one came in the client's order.
    if (listSchema.mergeKey === undefined && !listSchema.set) continue
    const before = own(original, name)
    const ordering = {
      order,
      before: Array.isArray(before) ? before : [],
      mergeKey: listSchema.mergeKey,
    }
    setOwn(merged, name, orderElements(list, ordering))
  }
}
